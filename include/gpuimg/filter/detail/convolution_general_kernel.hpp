/// @file
/// Convolution by kernels of any size, known at run time: the source and a few rows of coefficients at a time in shared
/// memory, sums in registers.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/filter/detail/convolution_direct_kernel.hpp"
#include "gpuimg/filter/detail/convolution_tile.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// Coefficients of a kernel: with the other parameters where they fit, else in memory that the kernel can read.
template <class A>
struct coefficient_list {
  static constexpr int capacity = 31 * 31;
  const A* memory = nullptr;  ///< null: `values`
  A values[capacity];

  GPUIMG_FUNCTION A operator[](int i) const noexcept { return memory != nullptr ? memory[i] : values[i]; }
};

/// Copies `rows` rows of `width` coefficients, from number `first` on, to rows of `pitch` in shared memory.
template <class A, simt::block_group Block>
GPUIMG_FUNCTION void stage_coefficients(const Block& block, const coefficient_list<A>& list, int first, int width,
                                        int rows, A* to, int pitch) {
  for (int i = block.rank(); i < width * rows; i += Block::size()) {
    to[i / width * pitch + i % width] = list[first + i];
  }
}

/// Taps that are taken in at once.
inline constexpr int tap_chunk = 8;

/// `Count` neighbours from shared memory, in groups, in the type of the sum. `from` is aligned to `Group` samples.
template <int Group, int Count, class S, class A>
GPUIMG_FUNCTION void load_neighbours(const S* from, A (&values)[Count]) noexcept {
  static_assert(Count % Group == 0);
  GPUIMG_UNROLL
  for (int g = 0; g < Count / Group; ++g) {
    const auto pack = load_pack<S, Group>(from + g * Group);
    GPUIMG_UNROLL
    for (int i = 0; i < Group; ++i) { values[g * Group + i] = static_cast<A>(pack.values[i]); }
  }
}

/// As accumulate_row, of `count` taps, fewer than tap_chunk.
template <class A, int Outputs, int Size>
GPUIMG_FUNCTION void accumulate_part(const A (&taps)[tap_chunk], int count, const A (&window)[Size],
                                     A (&sums)[Outputs]) noexcept {
  GPUIMG_UNROLL
  for (int i = 0; i < tap_chunk - 1; ++i) {
    if (i >= count) { return; }
    GPUIMG_UNROLL
    for (int x = 0; x < Outputs; ++x) { sums[x] = multiply_add(taps[i], window[x + i], sums[x]); }
  }
}

/// What a thread computes. Chosen by measurement (benchmarks/convolution.md).
template <class A>
struct general_policy {
  static constexpr int outputs = sizeof(A) > 4 ? 2 : 4;
  static constexpr int groups = sizeof(A) > 4 ? 1 : 2;  ///< of `outputs`, a warp's width apart: no banks in conflict
  static constexpr int rows = sizeof(A) > 4 ? 8 : 4;
  static constexpr int band = 16;  ///< rows of the kernel at a time
};

/// out(x, y) = sum of k(i, j) * in(x + shift_x + i, y + shift_y + j), for widths up to MaxWidth and any height
template <class S, class D, class A, class Store, int MaxWidth, class Policy = general_policy<A>>
struct general_convolution_kernel {
  static constexpr int threads = 128;
  static constexpr int min_blocks_per_sm = 4;
  static constexpr int outputs = Policy::outputs;
  static constexpr int groups = Policy::groups;
  static constexpr int rows = Policy::rows;
  static constexpr int group_width = simt::warp_size * outputs;
  static constexpr int block_width = groups * group_width;
  static constexpr int block_height = threads / simt::warp_size * rows;
  static constexpr int band = Policy::band;

  static constexpr int tile_width = block_width + (MaxWidth + tap_chunk - 1) / tap_chunk * tap_chunk;
  static constexpr int tile_height = block_height + band - 1;
  static constexpr int coefficient_pitch = (MaxWidth + tap_chunk - 1) / tap_chunk * tap_chunk;
  struct shared_storage {
    alignas(16) S tile[tile_width * tile_height];
    alignas(16) A coefficients[coefficient_pitch * band];
  };

  tap_source<S> source;
  cube_view<D> destination;
  bool write_groups = false;
  Store store;
  int width = 0;
  int height = 0;
  coefficient_list<A> coefficients;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    const auto index = block.index();
    const std::int64_t x0 = index.x * block_width;
    const std::int64_t y0 = index.y * block_height;
    const int column = block.rank() % simt::warp_size * outputs;
    const int line = block.warp_rank() * rows;
    A sums[rows][groups][outputs] = {};
    GPUIMG_NO_UNROLL
    for (int first = 0; first < height; first += band) {
      const int taken = height - first < band ? height - first : band;
      stage_tile(block, source, x0 + source.shift_x, y0 + source.shift_y + first, index.z, block_width + width - 1,
                 block_height + taken - 1, shared.tile, tile_width);
      stage_coefficients(block, coefficients, first * width, width, taken, shared.coefficients, coefficient_pitch);
      block.sync();
      GPUIMG_NO_UNROLL
      for (int r = 0; r < rows + taken - 1; ++r) {
        const S* from = shared.tile + (line + r) * tile_width + column;
        GPUIMG_NO_UNROLL
        for (int i = 0; i < width; i += tap_chunk) {
          A window[groups][outputs + tap_chunk];
          GPUIMG_UNROLL
          for (int g = 0; g < groups; ++g) { load_neighbours<outputs>(from + g * group_width + i, window[g]); }
          const A* k = shared.coefficients + i;
          const bool all = r >= rows - 1 && r < taken && i + tap_chunk <= width;
          if (all) {
            GPUIMG_UNROLL
            for (int e = 0; e < rows; ++e) { take(k + (r - e) * coefficient_pitch, tap_chunk, window, sums[e]); }
            continue;
          }
          GPUIMG_UNROLL
          for (int e = 0; e < rows; ++e) {  // not all outputs, or not all taps
            const int j = r - e;
            if (j >= 0 && j < taken) { take(k + j * coefficient_pitch, width - i, window, sums[e]); }
          }
        }
      }
      block.sync();
    }
    GPUIMG_UNROLL
    for (int g = 0; g < groups; ++g) {
      const std::int64_t x = x0 + column + g * group_width;
      const std::int64_t y = y0 + line;
      if (x >= destination.width || y >= destination.height) { return; }
      row_writer<outputs, D> to(destination, write_groups, x, y, index.z, rows);
      GPUIMG_UNROLL
      for (int e = 0; e < rows; ++e) { to.put(sums[e][g], store); }
    }
  }

 private:
  /// Takes `count` taps of a row of the kernel, at most tap_chunk of them, into the sums of a row.
  GPUIMG_FUNCTION static void take(const A* k, int count, const A (&window)[groups][outputs + tap_chunk],
                                   A (&sums)[groups][outputs]) {
    A taps[tap_chunk];
    load_neighbours<outputs>(k, taps);
    GPUIMG_UNROLL
    for (int g = 0; g < groups; ++g) {
      if (count >= tap_chunk) {
        accumulate_row<tap_chunk>(taps, window[g], sums[g]);
      } else {
        accumulate_part(taps, count, window[g], sums[g]);
      }
    }
  }
};

/// As separable_convolution_kernel, for widths and heights up to MaxTaps.
template <class S, class D, class A, class Store, int MaxTaps>
struct general_separable_kernel {
  static constexpr int threads = 128;
  static constexpr int min_blocks_per_sm = 4;
  static constexpr int outputs = sizeof(A) > 4 ? 2 : 4;
  static constexpr int rows = 8;
  static constexpr int block_width = simt::warp_size * outputs;
  static constexpr int block_height = threads / simt::warp_size * rows;
  static constexpr int batch = 16;  ///< rows of the source at a time
  static constexpr int chunks = (MaxTaps + tap_chunk - 1) / tap_chunk * tap_chunk;
  static constexpr int tile_width = block_width + chunks;

  struct shared_storage {
    alignas(16) S tile[tile_width * batch];
    alignas(16) A filtered[block_width * (block_height + MaxTaps - 1)];
    alignas(16) A row[chunks];
    A column[MaxTaps];
  };

  tap_source<S> source;
  cube_view<D> destination;
  bool write_groups = false;
  Store store;
  int width = 0;
  int height = 0;
  A row[MaxTaps];
  A column[MaxTaps];

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    const auto index = block.index();
    const std::int64_t x0 = index.x * block_width;
    const std::int64_t y0 = index.y * block_height;
    const int at = block.rank() % simt::warp_size * outputs;
    for (int i = block.rank(); i < MaxTaps; i += Block::size()) {
      shared.row[i] = i < width ? row[i] : A{0};
      shared.column[i] = i < height ? column[i] : A{0};
    }
    const int lines = block_height + height - 1;
    GPUIMG_NO_UNROLL
    for (int first = 0; first < lines; first += batch) {
      const int count = lines - first < batch ? lines - first : batch;
      stage_tile(block, source, x0 + source.shift_x, y0 + source.shift_y + first, index.z, block_width + width - 1,
                 count, shared.tile, tile_width);
      block.sync();
      for (int r = block.warp_rank(); r < count; r += threads / simt::warp_size) {
        A sums[outputs] = {};
        filter_row(shared.tile + r * tile_width + at, shared.row, sums);
        GPUIMG_UNROLL
        for (int x = 0; x < outputs; ++x) { shared.filtered[(first + r) * block_width + at + x] = sums[x]; }
      }
      block.sync();
    }
    const int line = block.warp_rank() * rows;
    const std::int64_t x = x0 + at;
    const std::int64_t y = y0 + line;
    if (x >= destination.width || y >= destination.height) { return; }
    A sums[rows][outputs] = {};
    GPUIMG_NO_UNROLL
    for (int r = 0; r < rows + height - 1; ++r) {
      A values[outputs];
      load_neighbours<outputs>(shared.filtered + (line + r) * block_width + at, values);
      GPUIMG_UNROLL
      for (int e = 0; e < rows; ++e) {
        if (r >= e && r - e < height) { accumulate_row<1>(shared.column + (r - e), values, sums[e]); }
      }
    }
    row_writer<outputs, D> to(destination, write_groups, x, y, index.z, rows);
    GPUIMG_UNROLL
    for (int e = 0; e < rows; ++e) { to.put(sums[e], store); }
  }

 private:
  GPUIMG_FUNCTION void filter_row(const S* from, const A* k, A (&sums)[outputs]) const {
    GPUIMG_NO_UNROLL
    for (int i = 0; i < width; i += tap_chunk) {
      A window[outputs + tap_chunk];
      load_neighbours<outputs>(from + i, window);
      A taps[tap_chunk];
      load_neighbours<outputs>(k + i, taps);
      if (i + tap_chunk <= width) {
        accumulate_row<tap_chunk>(taps, window, sums);
      } else {
        accumulate_part(taps, width - i, window, sums);
      }
    }
  }
};

}  // namespace gpuimg::filter::detail
