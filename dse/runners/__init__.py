"""Where points are evaluated: in this process, or on Ray. One contract, `Runner`; one conformance test."""
