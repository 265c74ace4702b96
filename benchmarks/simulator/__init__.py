"""How fast the simulator is, and how well a sweep uses the cores."""
