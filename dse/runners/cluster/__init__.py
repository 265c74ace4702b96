"""What the Ray runner consists of: Ray itself, its actors, and the points that it gives up."""
