"""From CUDA C++ to decoded instructions: the compiler, its includes, the cubin, SASS and its source lines."""
