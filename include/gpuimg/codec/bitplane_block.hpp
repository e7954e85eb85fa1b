/// @file
/// A code-block cut into bit planes: the state that bitplane coding walks over (docs/paco-format.md section 5.1).
///
/// A mask holds one bit for each of the 32 lanes; row y, column k of a lane is mask [y][k]. So one word answers a
/// question about a whole step of the scan, a block of 64 x 64 takes 512 bytes a plane, and the neighbours of all lanes
/// are shifts of six words.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"

namespace gpuimg::codec {

/// Size of the code-blocks, a power of two 16 .. 128 along each side, and what follows from it.
template <int Width, int Height>
struct block_shape {
  static_assert(Width >= 16 && Width <= 128 && (Width & (Width - 1)) == 0, "width: 16, 32, 64 or 128");
  static_assert(Height >= 16 && Height <= 128 && (Height & (Height - 1)) == 0, "height: 16, 32, 64 or 128");
  static constexpr int width = Width;
  static constexpr int height = Height;
  static constexpr int columns = Width <= 32 ? 1 : Width / 32;  ///< columns of a lane
  static constexpr int strips = Height / 2;
  static constexpr int steps = Height * columns;  ///< masks in a plane
};

/// Most magnitude planes that a stream may have.
inline constexpr int largest_plane_count = 24;
/// Bytes of a row of probabilities: the cells of one plane.
inline constexpr int cells_per_row = 16;
/// First cell of each kind.
inline constexpr int sign_cell = 9;
inline constexpr int refinement_cell = 13;
inline constexpr int strip_cell = 14;

/// One bit plane.
template <class Shape>
struct plane_masks {
  std::uint32_t row[Shape::height][Shape::columns];
};

/// Magnitudes and signs of a block, up to `Planes` planes.
template <class Shape, int Planes>
struct block_planes {
  static constexpr int capacity = Planes;
  plane_masks<Shape> magnitude[Planes];
  plane_masks<Shape> sign;  ///< 1 is negative
};

/// Significance while planes are walked: plane j writes entry j mod 3, so that "before this plane" and "before the
/// plane above" stay at hand without copies.
template <class Shape>
struct significance_history {
  plane_masks<Shape> entry[3];
};

/// Parts of the coder that a stream may turn on, chosen at run time ...
struct coder_features {
  bool raw_signs = true;
  bool strip_flags = true;
  bool compact_refinement = false;
  friend constexpr bool operator==(const coder_features&, const coder_features&) = default;
};

/// ... or at compile time, which drops the code of what is off.
template <bool RawSigns, bool StripFlags, bool CompactRefinement>
struct static_coder_features {
  static constexpr bool raw_signs = RawSigns;
  static constexpr bool strip_flags = StripFlags;
  static constexpr bool compact_refinement = CompactRefinement;
  GPUIMG_FUNCTION constexpr operator coder_features() const noexcept {
    return {RawSigns, StripFlags, CompactRefinement};
  }
};

/// What a block's walk depends on besides its data.
template <class Features = coder_features>
struct block_parameters {
  int width = 0;         ///< columns of this block, 1 .. Shape::width
  int height = 0;        ///< rows of this block, 1 .. Shape::height
  int planes = 0;        ///< M
  int fast_planes = 0;   ///< N <= M
  int raw_planes = 0;    ///< R
  int raw_sign_row = 0;  ///< first row whose signs are raw in plane 0; `height` when none is
  Features features{};
  int passes = -1;  ///< a decoder of a truncated block stops after so many passes; -1: none is missing

  /// Passes of the block: two for each plane above the fast ones, and one for these.
  GPUIMG_FUNCTION constexpr int pass_count() const noexcept {
    return 2 * (planes - fast_planes) + (fast_planes > 0 ? 1 : 0);
  }
  /// Whether passes are left out, and the raw bits with them.
  GPUIMG_FUNCTION constexpr bool truncated() const noexcept { return passes >= 0 && passes < pass_count(); }
};

/// Most passes that a block has.
inline constexpr int largest_pass_count = 2 * largest_plane_count;

/// First row of raw signs for the block's q (0 .. 7) of the index.
GPUIMG_FUNCTION constexpr int raw_sign_row(int height, int q) noexcept { return height - (height * q + 6) / 7; }

/// Lanes whose column k lies inside of a block of `width` columns.
template <class Shape>
GPUIMG_FUNCTION constexpr std::uint32_t lanes_inside(int width, int k) noexcept {
  const int lanes = (width - k + Shape::columns - 1) / Shape::columns;
  return lanes <= 0 ? 0 : lanes >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << lanes) - 1;
}

/// The masks of one row, and of its neighbours to the left and right.
template <class Shape>
struct row_masks {
  std::uint32_t column[Shape::columns] = {};

  /// Value of the sample left of column k, at each lane.
  GPUIMG_FUNCTION constexpr std::uint32_t left_of(int k) const noexcept {
    return k > 0 ? column[k - 1] : column[Shape::columns - 1] << 1;
  }
  /// Value of the sample right of column k, at each lane.
  GPUIMG_FUNCTION constexpr std::uint32_t right_of(int k) const noexcept {
    return k < Shape::columns - 1 ? column[k + 1] : column[0] >> 1;
  }
  GPUIMG_FUNCTION static constexpr row_masks load(const std::uint32_t (&row)[Shape::columns]) noexcept {
    row_masks m;
    GPUIMG_UNROLL
    for (int k = 0; k < Shape::columns; ++k) { m.column[k] = row[k]; }
    return m;
  }
};

/// The eight neighbours of one column of a step, as masks.
struct neighbour_masks {
  std::uint32_t n[8];
};

/// Neighbours of column k in the row between `above` and `below`.
template <class Shape>
GPUIMG_FUNCTION constexpr neighbour_masks neighbours(const row_masks<Shape>& above, const row_masks<Shape>& current,
                                                     const row_masks<Shape>& below, int k) noexcept {
  return {{above.left_of(k), above.column[k], above.right_of(k), current.left_of(k), current.right_of(k),
           below.left_of(k), below.column[k], below.right_of(k)}};
}

/// Sign contexts of all lanes: bit 0 and bit 1 of the class, and where minus is predicted.
struct sign_context {
  std::uint32_t class_bit0;
  std::uint32_t class_bit1;
  std::uint32_t negative;
};

/// Class and prediction from the significance (`...`) and sign masks around column k (docs/paco-format.md section 5.2).
template <class Shape>
GPUIMG_FUNCTION constexpr sign_context sign_context_of(const row_masks<Shape>& above, const row_masks<Shape>& current,
                                                       const row_masks<Shape>& below,
                                                       const row_masks<Shape>& above_sign,
                                                       const row_masks<Shape>& current_sign,
                                                       const row_masks<Shape>& below_sign, int k) noexcept {
  const std::uint32_t left_negative = current.left_of(k) & current_sign.left_of(k);
  const std::uint32_t left_positive = current.left_of(k) & ~current_sign.left_of(k);
  const std::uint32_t right_negative = current.right_of(k) & current_sign.right_of(k);
  const std::uint32_t right_positive = current.right_of(k) & ~current_sign.right_of(k);
  const std::uint32_t up_negative = above.column[k] & above_sign.column[k];
  const std::uint32_t up_positive = above.column[k] & ~above_sign.column[k];
  const std::uint32_t down_negative = below.column[k] & below_sign.column[k];
  const std::uint32_t down_positive = below.column[k] & ~below_sign.column[k];
  const std::uint32_t h_positive = (left_positive & ~right_negative) | (right_positive & ~left_negative);
  const std::uint32_t h_negative = (left_negative & ~right_positive) | (right_negative & ~left_positive);
  const std::uint32_t v_positive = (up_positive & ~down_negative) | (down_positive & ~up_negative);
  const std::uint32_t v_negative = (up_negative & ~down_positive) | (down_negative & ~up_positive);
  const std::uint32_t h = h_positive | h_negative;
  const std::uint32_t v = v_positive | v_negative;
  const std::uint32_t same = (h_positive & v_positive) | (h_negative & v_negative);
  return {(~h & v) | same, (h & ~v) | same, h_negative | (~h & v_negative)};
}

}  // namespace gpuimg::codec
