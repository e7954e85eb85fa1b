"""NPP through ctypes, for the scripts that measure it: its structures and where its libraries are found."""
import ctypes
import glob
import os
import sys

REPLICATE = 2  # NppiBorderType


class Size(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int)]


class StreamContext(ctypes.Structure):
    _fields_ = [("stream", ctypes.c_void_p), ("device", ctypes.c_int), ("multiprocessors", ctypes.c_int),
                ("threads_per_multiprocessor", ctypes.c_int), ("threads_per_block", ctypes.c_int),
                ("shared_memory_per_block", ctypes.c_size_t), ("major", ctypes.c_int), ("minor", ctypes.c_int),
                ("stream_flags", ctypes.c_uint), ("reserved", ctypes.c_int)]


def context(properties, stream=None):
    """The first device's context: `properties` as cupy.cuda.runtime.getDeviceProperties tells them."""
    return StreamContext(stream, 0, properties["multiProcessorCount"], properties["maxThreadsPerMultiProcessor"],
                         properties["maxThreadsPerBlock"], properties["sharedMemPerBlock"], properties["major"],
                         properties["minor"], 0, 0)


def load(name, folder=None):
    """NPP's library `name` ("if", "icc"), or None; `folder` is looked into first."""
    folders = [folder] if folder else []
    for where in sys.path:
        folders += sorted(glob.glob(os.path.join(where, "nvidia", "*", "lib")))
    folders += sorted(glob.glob("/usr/local/cuda*/lib64")) + sorted(glob.glob("/usr/local/cuda*/targets/*/lib"))
    for where in folders:
        # The core library first: the others look for it where the loader does.
        found = [sorted(glob.glob(os.path.join(where, f"libnpp{part}.so*"))) for part in ("c", name)]
        if all(found):
            ctypes.CDLL(found[0][-1], mode=ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(found[1][-1])
    return None
