/// @file
/// Headers of NumPy's .npy files (format versions 1 to 3).
#pragma once

#include <cstddef>
#include <vector>

#include "envi_header.hpp"
#include "support/byte_file.hpp"

namespace gpuimg::examples {

/// Reads the header of a cube of three axes, or a picture of two. `order` tells the axes: bsq is (bands, lines,
/// samples), bil (lines, bands, samples), bip (lines, samples, bands).
/// @throws error corrupt or unsupported, truncated, io
cube_layout read_npy_header(input_file& file, interleave order);

/// The header of a cube whose axes are in its order.
std::vector<std::byte> write_npy_header(const cube_layout& layout);

}  // namespace gpuimg::examples
