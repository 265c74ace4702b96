"""Runners evaluate points, in this process or on Ray: one interface, `Runner`, with one conformance test."""
