/// @file
/// CDF 5/3 wavelet transform as kernels, one launch a level for all planes; bit for bit what
/// codec/wavelet_transform.hpp computes on the host. Source: docs/paco-format.md section 3.
///
/// A level cannot work in place, as its thread blocks read beyond what they write. So the low-pass samples of level k
/// go back and forth between two workspaces, and details go to their place in the plane of coefficients (Mallat's
/// layout) at once:
///
///     samples = even --level 1--> odd --level 2--> even --level 3--> ... --level L--> coefficients
///                 |                 |                |
///                 +--> details of level 1, 2, 3 ... in coefficients
///
/// @code
/// using gpuimg::codec::wavelet_planes;
/// device_buffer memory(execution, 2 * wavelet_planes<std::int16_t>::workspace_size(width, height, 3));
/// const wavelet_planes<std::int16_t> planes(coefficients, memory.data<std::int16_t>(), 5);
/// // ... load_samples_kernel writes planes.low_pass(0) ...
/// forward_cdf_5_3(planes, [&](const auto& grid, const auto& kernel) { simt::launch(execution, grid, kernel); });
/// @endcode
#pragma once

#include <cstdint>

#include "gpuimg/codec/cdf_5_3.hpp"
#include "gpuimg/codec/sample_format.hpp"
#include "gpuimg/codec/subband.hpp"
#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::codec {

/// The planes that a transform of `levels` levels works on: coefficients, and two workspaces of one plane and of a
/// quarter. Values of one picture; several components are several planes.
template <coefficient_store T>
class wavelet_planes {
 public:
  wavelet_planes() = default;

  /// `workspace` holds workspace_size() samples and does not meet `coefficients`.
  constexpr wavelet_planes(const planar_view<T>& coefficients, T* workspace, int levels) noexcept
      : coefficients_(coefficients), workspace_(workspace), levels_(levels) {}

  /// Samples of workspace: those of all planes, and of their low-pass halves of level 1.
  static constexpr std::int64_t workspace_size(std::int64_t width, std::int64_t height, std::int64_t planes) noexcept {
    return (width * height + low_size(width) * low_size(height)) * planes;
  }

  constexpr const planar_view<T>& coefficients() const noexcept { return coefficients_; }
  constexpr int levels() const noexcept { return levels_; }

  /// Low-pass samples after `level` levels; of level 0 these are the transform's input and output. Valid until
  /// those of level + 2 (forward) or level - 2 (inverse) are written.
  constexpr planar_view<T> low_pass(int level) const noexcept {
    const planar_view<T>& c = coefficients_;
    const std::int64_t width = low_size(c.width, level);
    const std::int64_t height = low_size(c.height, level);
    if (level == levels_) { return {c.data, width, height, c.planes, c.pitch, c.plane_pitch}; }
    return {level % 2 == 0 ? workspace_ : workspace_ + c.width * c.height * c.planes, width, height, c.planes};
  }

  /// Where level `level` (1 is the finest) has its details: all of this rectangle but the low-pass samples.
  constexpr planar_view<T> details(int level) const noexcept {
    const planar_view<T>& c = coefficients_;
    return {c.data, low_size(c.width, level - 1), low_size(c.height, level - 1), c.planes, c.pitch, c.plane_pitch};
  }

 private:
  planar_view<T> coefficients_;
  T* workspace_ = nullptr;
  int levels_ = 0;
};

namespace detail {

/// Where sample i of a signal of n lies when it goes on as its mirror image. One reflection on each side is enough
/// for the samples that a filter asks for; what it does not ask for lies somewhere inside.
GPUIMG_FUNCTION constexpr std::int64_t mirrored(std::int64_t i, std::int64_t n) noexcept {
  i = i < 0 ? -i : i;
  i = i < n ? i : 2 * (n - 1) - i;
  return i < 0 ? 0 : i;
}

/// A thread block's part of a level: `width` x `height` samples on the side of the larger picture.
///
/// A warp works on 32 neighbours of a row. In shared memory a row has its even samples (or low-pass ones) first and its
/// odd ones in a second half, 16 banks further, so that neither way of reading it meets in a bank. A row's
/// pairs are counted from -1, that before the tile.
struct wavelet_tile {
  static constexpr int threads = 256;
  static constexpr int width = 128;
  static constexpr int height = 32;
  static constexpr int pairs = width / 2;  // of columns
  static constexpr int half = 80;          // a row's even samples: pairs + 2, rounded up to 16 modulo 32
  static constexpr int row_length = half + pairs + 2;
  static constexpr int threads_a_column = threads / width;
  static constexpr int row_pairs = height / 2 / threads_a_column;  // pairs of rows of one thread

  /// Place of column x of the tile, -2 .. width + 1, in a row of shared memory.
  GPUIMG_FUNCTION static constexpr int place(int x) noexcept { return ((x + 2) >> 1) + (x & 1) * half; }
};

/// One plane's row y.
template <class T>
GPUIMG_FUNCTION T* plane_row(const planar_view<T>& planes, std::int64_t plane, std::int64_t y) noexcept {
  return gpuimg::detail::advance_bytes(planes.data, y * planes.pitch + plane * planes.plane_pitch);
}

}  // namespace detail

/// The grid of both kernels, for the larger side of a level.
constexpr simt::grid_extent wavelet_grid(std::int64_t width, std::int64_t height, std::int64_t planes) noexcept {
  using tile = detail::wavelet_tile;
  return {(width + tile::width - 1) / tile::width, (height + tile::height - 1) / tile::height, planes};
}

/// One level forward: `source` to its low-pass half `low`, and HL, LH, HH of `details`. The latter has the size of
/// `source`, which meets neither of the others; `low` may be the corner of `details`.
template <coefficient_store T>
struct forward_cdf_5_3_kernel {
  using tile = detail::wavelet_tile;
  static constexpr int threads = tile::threads;
  struct shared_storage {
    T rows[tile::height][tile::row_length];  // low-pass rows, then high-pass ones; columns still to be transformed
  };

  planar_view<const T> source;
  planar_view<T> low;
  planar_view<T> details;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    const int rank = block.rank();
    lift_column<tile::row_pairs>(block.index(), rank % tile::width, rank / tile::width * tile::row_pairs, shared);
    // The columns beside the tile, -2, -1 and `width`, one pair of rows a thread.
    if (rank < 3 * tile::height / 2) {
      const int side = rank / (tile::height / 2);
      lift_column<1>(block.index(), side == 2 ? tile::width : side - 2, rank % (tile::height / 2), shared);
    }
    block.sync();
    for (int r = block.warp_rank(); r < tile::height; r += tile::threads / simt::warp_size) {
      for (int p = block.warp().rank(); p < tile::pairs; p += simt::warp_size) {
        lift_row(block.index(), r, p, shared);
      }
    }
  }

 private:
  /// `Pairs` pairs of rows of one column of the tile, from pair `first` on: along y, into shared memory.
  template <int Pairs>
  GPUIMG_FUNCTION void lift_column(const simt::grid_index& index, int column, int first, shared_storage& shared) const {
    const std::int64_t x = detail::mirrored(index.x * tile::width + column, source.width);
    const std::int64_t y = index.y * tile::height + 2 * first;
    const T* const top = detail::plane_row(source, index.z, 0) + x;
    const auto load = [&](std::int64_t row) -> std::int32_t {
      return *gpuimg::detail::advance_bytes(top, detail::mirrored(row, source.height) * source.pitch);
    };
    const bool lifted = source.height > 1;
    const int place = tile::place(column);
    std::int32_t even = load(y);
    std::int32_t before = lifted ? static_cast<T>(cdf_5_3::predict(load(y - 1), load(y - 2), even)) : 0;
    GPUIMG_UNROLL
    for (int i = 0; i < Pairs; ++i) {
      const std::int32_t odd = load(y + 2 * i + 1);
      const std::int32_t next = load(y + 2 * i + 2);
      const std::int32_t high = lifted ? static_cast<T>(cdf_5_3::predict(odd, even, next)) : 0;
      shared.rows[first + i][place] = static_cast<T>(cdf_5_3::update(even, before, high));
      shared.rows[tile::height / 2 + first + i][place] = static_cast<T>(high);
      even = next;
      before = high;
    }
  }

  /// Pair `pair` of row `row` of shared memory: along x, into the sub-bands.
  GPUIMG_FUNCTION void lift_row(const simt::grid_index& index, int row, int pair, const shared_storage& shared) const {
    const bool high_row = row >= tile::height / 2;
    const std::int64_t y = index.y * (tile::height / 2) + row % (tile::height / 2);
    const std::int64_t x = index.x * tile::pairs + pair;
    if (y >= (high_row ? high_size(source.height) : low.height) || x >= low.width) { return; }
    const T* const even = shared.rows[row] + pair + 1;
    const T* const odd = even + tile::half;
    const bool lifted = source.width > 1;
    const std::int32_t before = lifted ? static_cast<T>(cdf_5_3::predict(odd[-1], even[-1], even[0])) : 0;
    const std::int32_t high = lifted ? static_cast<T>(cdf_5_3::predict(odd[0], even[0], even[1])) : 0;
    T* const detail_row = detail::plane_row(details, index.z, high_row ? low.height + y : y);
    T* const low_row = high_row ? detail_row : detail::plane_row(low, index.z, y);
    low_row[x] = static_cast<T>(cdf_5_3::update(even[0], before, high));
    if (x < high_size(source.width)) { detail_row[low.width + x] = static_cast<T>(high); }
  }
};

/// One level back: the low-pass samples `low` and HL, LH, HH of `details` to `destination`, which has the size of
/// `details` and meets neither of the others. `low` may be the corner of `details`.
template <coefficient_store T>
struct inverse_cdf_5_3_kernel {
  using tile = detail::wavelet_tile;
  static constexpr int threads = tile::threads;
  static constexpr int low_rows = tile::height / 2 + 1;   // pairs 0 .. height / 2
  static constexpr int high_rows = tile::height / 2 + 2;  // pairs -1 .. height / 2
  struct shared_storage {
    T rows[low_rows + high_rows][tile::row_length];  // transformed along x; columns still to be transformed
  };

  planar_view<const T> low;
  planar_view<const T> details;
  planar_view<T> destination;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    for (int r = block.warp_rank(); r < low_rows + high_rows; r += tile::threads / simt::warp_size) {
      for (int p = block.warp().rank(); p < tile::pairs; p += simt::warp_size) {
        lift_row(block.index(), r, p, shared);
      }
    }
    block.sync();
    const int rank = block.rank();
    lift_column(block.index(), rank % tile::width, rank / tile::width * tile::row_pairs, shared);
  }

 private:
  /// Pair `pair` of row `row` of shared memory: along x, from the sub-bands.
  GPUIMG_FUNCTION void lift_row(const simt::grid_index& index, int row, int pair, shared_storage& shared) const {
    const bool high_row = row >= low_rows;
    const std::int64_t pair_y = index.y * (tile::height / 2) + (high_row ? row - low_rows - 1 : row);
    const std::int64_t y = detail::mirrored(2 * pair_y + (high_row ? 1 : 0), destination.height) / 2;
    T* const even = shared.rows[row] + pair + 1;
    if (high_row && destination.height < 2) {
      even[0] = 0;
      even[tile::half] = 0;
      return;
    }
    const T* const detail_row = detail::plane_row(details, index.z, high_row ? low.height + y : y);
    const T* const low_row = high_row ? detail_row : detail::plane_row(low, index.z, y);
    const T* const high_columns = detail_row + low.width;
    const std::int64_t x = 2 * (index.x * tile::pairs + pair);
    const bool lifted = destination.width > 1;
    const auto load_low = [&](std::int64_t i) -> std::int32_t {
      return low_row[detail::mirrored(i, destination.width) / 2];
    };
    const auto load_high = [&](std::int64_t i) -> std::int32_t {
      return lifted ? high_columns[detail::mirrored(i, destination.width) / 2] : 0;
    };
    const std::int32_t high = load_high(x + 1);
    const std::int32_t after = load_high(x + 3);
    const std::int32_t own = static_cast<T>(cdf_5_3::undo_update(load_low(x), load_high(x - 1), high));
    const std::int32_t next = static_cast<T>(cdf_5_3::undo_update(load_low(x + 2), high, after));
    even[0] = static_cast<T>(own);
    even[tile::half] = static_cast<T>(cdf_5_3::undo_predict(high, own, next));
  }

  /// Some pairs of rows of one column of the tile, from pair `first` on: along y, into the destination.
  GPUIMG_FUNCTION void lift_column(const simt::grid_index& index, int column, int first,
                                   const shared_storage& shared) const {
    const std::int64_t x = index.x * tile::width + column;
    const std::int64_t y = index.y * tile::height + 2 * first;
    if (x >= destination.width || y >= destination.height) { return; }
    const int place = tile::place(column);
    const auto load_low = [&](int i) -> std::int32_t { return shared.rows[first + i][place]; };
    const auto load_high = [&](int i) -> std::int32_t { return shared.rows[low_rows + 1 + first + i][place]; };
    T* out = detail::plane_row(destination, index.z, y) + x;
    std::int64_t left = destination.height - y;
    std::int32_t high = load_high(0);
    std::int32_t even = static_cast<T>(cdf_5_3::undo_update(load_low(0), load_high(-1), high));
    GPUIMG_UNROLL
    for (int i = 0; i < tile::row_pairs; ++i) {
      const std::int32_t after = load_high(i + 1);
      const std::int32_t next = static_cast<T>(cdf_5_3::undo_update(load_low(i + 1), high, after));
      if (left > 0) { *out = static_cast<T>(even); }
      out = gpuimg::detail::advance_bytes(out, destination.pitch);
      if (left > 1) { *out = static_cast<T>(cdf_5_3::undo_predict(high, even, next)); }
      out = gpuimg::detail::advance_bytes(out, destination.pitch);
      left -= 2;
      even = next;
      high = after;
    }
  }
};

/// Transforms planes.low_pass(0) into planes.coefficients(): calls run(grid, kernel) for each level in order, for
/// simt::launch or simt::emulate. Without levels there is nothing to do, as the two are one.
template <coefficient_store T, class Run>
void forward_cdf_5_3(const wavelet_planes<T>& planes, const Run& run) {
  for (int level = 1; level <= planes.levels(); ++level) {
    const planar_view<T> source = planes.low_pass(level - 1);
    run(wavelet_grid(source.width, source.height, source.planes),
        forward_cdf_5_3_kernel<T>{source, planes.low_pass(level), planes.details(level)});
  }
}

/// Undoes the last `undone` levels of planes.coefficients(): calls run(grid, kernel) for each; the result is
/// planes.low_pass(planes.levels() - undone).
template <coefficient_store T, class Run>
void inverse_cdf_5_3(const wavelet_planes<T>& planes, int undone, const Run& run) {
  for (int level = planes.levels(); level > planes.levels() - undone; --level) {
    const planar_view<T> destination = planes.low_pass(level - 1);
    run(wavelet_grid(destination.width, destination.height, destination.planes),
        inverse_cdf_5_3_kernel<T>{planes.low_pass(level), planes.details(level), destination});
  }
}

}  // namespace gpuimg::codec
