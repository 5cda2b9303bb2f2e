"""Where the machine code of the kernels lands (``build_kernels.py``); their sources lie in the rooms."""
