"""Size limits of a space: far above what a kernel needs, but low enough for untrusted input."""

MAX_YAML_BYTES = 64 * 1024  # of a space.yaml
MAX_YAML_NODES = 50_000  # values in it, with all aliases expanded
MAX_SPACE_BYTES = 1024 * 1024  # of a space's files together
MAX_HEADERS = 100
MAX_DATA_BYTES = 8 * 1024 * 1024  # of a space's .npy files and cubins together
MAX_DATA_FILES = 64
MAX_PATH_CHARACTERS = 200  # of a source's or a header's name
MAX_KERNEL_NAME = 1000  # characters of a template's arguments

MAX_PARAMETERS = 64
MAX_PARAMETER_VALUES = 4096  # of one parameter
MAX_ENTRIES = 256  # of any other list or mapping: GPUs, constraints, values, arguments, objectives
MAX_POINTS = 2**53  # before constraints; integers up to 2^53 are exact in JSON
MAX_WORKLOADS = 1024
MAX_BARREN_STEPS = 500_000  # consecutive steps without a valid point
MAX_COUNTED = 10_000_000  # points counted one by one, if constraints connect their parameters

MAX_EXPRESSION_CHARACTERS = 1000
MAX_EXPRESSION_DEPTH = 100  # nested operations, and arguments of min and max
MAX_EXPONENT = 64
MAX_MAGNITUDE = 2**64  # of a number; kernel arguments have at most 64 bits

MAX_REGISTER_CAP = 255  # registers per thread, every architecture since sm_35 (CUDA C++ Programming Guide)
MAX_CYCLES = 10**12  # of one launch: minutes on a GPU, and days of simulation
MAX_ELEMENTS = 2**38  # of one buffer: more than fits on any GPU
MAX_DATA_ELEMENTS = 2**24  # rows, columns or nonzeros of declared data, all of which are generated
MAX_PROBLEMS = 50  # reported per file
MAX_NAMES_SHOWN = 40
MAX_SHOWN_CHARACTERS = 80  # of a value quoted in a message
