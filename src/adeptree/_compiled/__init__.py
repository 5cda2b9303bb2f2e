"""The folder of the kernels' machine code (``build_kernels.py``); their sources lie in the rooms."""
