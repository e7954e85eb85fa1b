/// @file
/// Kernels that code blocks, a warp one after another: examples of the block coder, and its tests on every target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/codec/block_cases.hpp"

#include "gpuimg/codec/bitplane_host.hpp"
#include "gpuimg/codec/bitplane_warp.hpp"
#include "gpuimg/simt/group.hpp"

namespace codec_tests {

namespace codec = gpuimg::codec;
namespace simt = gpuimg::simt;

/// One code-block's work. Encoders find M themselves.
struct block_task {
  block_parameters<> parameters;
  std::int32_t* values;       ///< in raster order
  const std::uint8_t* table;  ///< 16 probabilities a plane
  std::uint16_t* words;
  std::uint32_t word_count;  ///< an encoder's capacity
};

/// What a kernel says of a block: its number of words or whether it is sound, and M.
struct block_result {
  std::uint32_t value;
  std::int32_t planes;
};

/// How kernels code: features chosen by the task or by the type, bits of a probability.
template <class Shape, int Planes, class Features = codec::coder_features, int P = 8>
struct block_coding {
  using shape = Shape;
  using features = Features;
  using storage = codec::compact_warp_block_storage<Shape, Planes>;
  static constexpr int probability_bits = P;
  static constexpr int warps = sizeof(storage) > 20 * 1024 ? 1 : 2;  ///< of a thread block
};
template <class Shape, int Planes, bool RawSigns, bool StripFlags, int P>
struct block_coding<Shape, Planes, codec::static_coder_features<RawSigns, StripFlags, false>, P> {
  using shape = Shape;
  using features = codec::static_coder_features<RawSigns, StripFlags, false>;
  using storage = codec::warp_block_storage<Shape, Planes>;
  static constexpr int probability_bits = P;
  static constexpr int warps = sizeof(storage) > 20 * 1024 ? 1 : 2;  ///< of a thread block
};

/// The task's parameters with the features of the type.
template <class Features>
GPUIMG_FUNCTION block_parameters<Features> parameters_of(const block_task& task) {
  const auto& p = task.parameters;
  block_parameters<Features> result{p.width, p.height, p.planes, p.fast_planes, p.raw_planes, p.raw_sign_row, {}};
  if constexpr (std::is_same_v<Features, codec::coder_features>) { result.features = p.features; }
  return result;
}

template <class Coding>
struct encode_kernel {
  static constexpr int warps = Coding::warps;
  static constexpr int threads = 32 * warps;
  struct shared_storage {
    typename Coding::storage of_warp[warps];
  };

  const block_task* tasks;
  block_result* results;
  std::int64_t count;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    auto warp = block.warp();
    auto& storage = shared.of_warp[block.warp_rank()];
    for (auto i = block.index().x * warps + block.warp_rank(); i < count; i += block.grid().x * warps) {
      const block_task& task = tasks[i];
      auto p = parameters_of<typename Coding::features>(task);
      const auto at = [&](int x, int y) { return task.values[y * p.width + x]; };
      p.planes = codec::load_block<typename Coding::shape>(warp, p.width, p.height, at, storage.block);
      const std::uint32_t words = codec::encode_block<typename Coding::shape, 16, Coding::probability_bits>(
          warp, storage, p, task.table, task.words, task.word_count);
      if (warp.rank() == 0) { results[i] = {words, p.planes}; }
    }
  }
};

template <class Coding>
struct decode_kernel {
  static constexpr int warps = Coding::warps;
  static constexpr int threads = 32 * warps;
  struct shared_storage {
    typename Coding::storage of_warp[warps];
  };

  const block_task* tasks;
  block_result* results;
  std::int64_t count;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    auto warp = block.warp();
    auto& storage = shared.of_warp[block.warp_rank()];
    for (auto i = block.index().x * warps + block.warp_rank(); i < count; i += block.grid().x * warps) {
      const block_task& task = tasks[i];
      const auto p = parameters_of<typename Coding::features>(task);
      const bool sound = codec::decode_block<typename Coding::shape, 16, Coding::probability_bits>(
          warp, storage, p, task.table, task.words, task.word_count);
      const auto put = [&](int x, int y, std::int32_t v) { task.values[y * p.width + x] = v; };
      if (sound) { codec::store_block<typename Coding::shape>(warp, p.width, p.height, p.planes, storage.block, put); }
      if (warp.rank() == 0) { results[i] = {sound, p.planes}; }
    }
  }
};

template <class Coding>
struct count_kernel {
  static constexpr int threads = 32;
  static constexpr int cells = static_cast<int>(std::tuple_size_v<symbol_counts>);
  struct shared_storage {
    typename Coding::storage coder;
    std::uint32_t counts[cells];
  };

  const block_task* tasks;
  std::uint32_t* counts;  ///< of each block

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    auto warp = block.warp();
    const block_task& task = tasks[block.index().x];
    auto p = parameters_of<typename Coding::features>(task);
    const auto at = [&](int x, int y) { return task.values[y * p.width + x]; };
    p.planes = codec::load_block<typename Coding::shape>(warp, p.width, p.height, at, shared.coder.block);
    for (int i = block.rank(); i < cells; i += threads) { shared.counts[i] = 0; }
    warp.sync();
    codec::count_block<typename Coding::shape>(warp, shared.coder, p, shared.counts);
    for (int i = block.rank(); i < cells; i += threads) { counts[block.index().x * cells + i] = shared.counts[i]; }
  }
};

using word_list = std::vector<std::uint16_t>;

/// A block with the words that a kernel writes or reads.
struct worded_block {
  block_case block;
  word_list words;
};

/// Blocks in the memory of a backend, and the results of a kernel.
template <class Backend>
class block_batch {
  template <class T>
  using array = decltype(std::declval<const Backend&>().upload(std::vector<T>()));

 public:
  block_batch(const Backend& backend, const std::vector<worded_block>& blocks, bool decodes) : backend_(backend) {
    for (const auto& [block, words] : blocks) {
      const std::vector<std::int32_t> nothing(block.values.size(), 0x7B7B7B7B);
      values_.push_back(backend.upload(decodes ? nothing : block.values));
      tables_.push_back(
          backend.upload(std::vector<std::uint8_t>(block.probabilities.begin(), block.probabilities.end())));
      words_.push_back(backend.upload(words));
      tasks_.push_back({block.parameters, values_.back().data(), tables_.back().data(), words_.back().data(),
                        static_cast<std::uint32_t>(words.size())});
    }
  }

  /// The capacity or the length of block i, if it is not that of its words.
  void set_word_count(std::size_t i, std::size_t count) { tasks_[i].word_count = static_cast<std::uint32_t>(count); }

  template <template <class> class Kernel, class Coding>
  std::vector<block_result> run() const {
    auto tasks = backend_.upload(tasks_);
    auto results = backend_.upload(std::vector<block_result>(tasks_.size()));
    const auto count = static_cast<std::int64_t>(tasks_.size());
    const std::int64_t blocks = count / (3 * Coding::warps) + 1;
    backend_.run({.x = blocks}, Kernel<Coding>{tasks.data(), results.data(), count});
    return results.values();
  }

  template <class Coding>
  std::vector<symbol_counts> count() const {
    using kernel = count_kernel<Coding>;
    auto tasks = backend_.upload(tasks_);
    auto cells = backend_.upload(std::vector<std::uint32_t>(tasks_.size() * kernel::cells));
    backend_.run({.x = static_cast<std::int64_t>(tasks_.size())}, kernel{tasks.data(), cells.data()});
    const std::vector<std::uint32_t> all = cells.values();
    std::vector<symbol_counts> counts(tasks_.size());
    for (std::size_t i = 0; i < all.size(); ++i) { counts[i / kernel::cells][i % kernel::cells] = all[i]; }
    return counts;
  }

  word_list words(std::size_t i) const { return words_[i].values(); }
  std::vector<std::int32_t> values(std::size_t i) const { return values_[i].values(); }

 private:
  const Backend& backend_;
  std::vector<array<std::int32_t>> values_;
  std::vector<array<std::uint8_t>> tables_;
  std::vector<array<std::uint16_t>> words_;
  std::vector<block_task> tasks_;
};

}  // namespace codec_tests
