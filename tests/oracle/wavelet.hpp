/// @file
/// CDF 5/3 by lifting, on signals and planes of any size (docs/paco-format.md, section 3).
#pragma once

#include <cstdint>
#include <vector>

#include "tests/oracle/grid.hpp"

namespace gpuimg::oracle {

/// Both halves of a transformed signal.
struct halves {
  std::vector<std::int32_t> low;
  std::vector<std::int32_t> high;
};

halves forward_wavelet(const std::vector<std::int32_t>& signal);
std::vector<std::int32_t> inverse_wavelet(const halves& transformed);

enum class band { ll, hl, lh, hh };

/// The low-pass rectangle after some levels of a w x h plane: the top left corner, halved and rounded up each time.
rectangle low_pass_rectangle(coordinate width, coordinate height, int levels);

/// Where a sub-band of a level (1 is the finest) lies in the transformed plane: HL right of the low-pass rectangle,
/// LH below, HH both. `band::ll` is the low-pass rectangle of that level; of level 0 it is the plane.
rectangle sub_band_rectangle(coordinate width, coordinate height, int level, band which);

/// All levels, in place: the columns, then the rows, of the low-pass rectangle of the level before.
void forward_wavelet(plane& samples, int levels);
void inverse_wavelet(plane& coefficients, int levels);

}  // namespace gpuimg::oracle
