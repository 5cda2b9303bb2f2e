# What cuts_kernel.py takes from other modules, as C.
from adeptree._compiled.cut_tree_kernel cimport CutTree
from libc.math cimport exp, log
