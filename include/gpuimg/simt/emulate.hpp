/// @file
/// Runs a kernel on the host, one fiber a thread.
///
/// Meant for tests: it finds what a device leaves undefined. Collectives that threads do not reach together are errors;
/// under AddressSanitizer an access outside of the shared storage is one too; shared memory starts with a pattern
/// that tests can vary, and memcheck (with GPUIMG_WITH_VALGRIND defined) reports what depends on shared memory that
/// was never written. Threads run one after the other in a fixed order, so that a data race shows as a result that
/// depends on emulation::descending.
///
/// @code
/// std::vector<float> data(1000);
/// simt::emulate({.x = 8}, scale_kernel{data.data(), 1000, 2.0f});
/// @endcode
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "gpuimg/core/parallel_for.hpp"
#include "gpuimg/simt/detail/fiber_scheduler.hpp"
#include "gpuimg/simt/detail/instrumentation.hpp"
#include "gpuimg/simt/emulated.hpp"
#include "gpuimg/simt/grid.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::simt {

/// How simt::emulate runs a kernel.
struct emulation {
  unsigned threads = 1;               ///< host threads that share the blocks
  unsigned char shared_fill = 0xCD;   ///< every byte of the shared storage before a block runs
  bool descending = false;            ///< whether the highest thread that can run does so, instead of the lowest
  std::size_t stack_bytes = 1 << 17;  ///< of one emulated thread; pages that it does not touch cost nothing
};

namespace detail {

/// Runs blocks one after the other.
template <block_kernel Kernel>
class block_emulator {
 public:
  block_emulator(const grid_extent& grid, const Kernel& kernel, const emulation& options)
      : grid_(grid),
        kernel_(kernel),
        fill_(options.shared_fill),
        shared_(::operator new(sizeof(shared_storage), alignment)),
        scheduler_(Kernel::threads, options.stack_bytes, options.descending, &run_thread, this) {}

  void run(std::int64_t block) {
    std::memset(shared_.get(), fill_, sizeof(shared_storage));
    mark_unwritten(shared_.get(), sizeof(shared_storage));
    const auto row = block / grid_.x;
    scheduler_.run_block({block % grid_.x, row % grid_.y, row / grid_.y});
  }

 private:
  using shared_storage = typename Kernel::shared_storage;
  static constexpr std::align_val_t alignment{alignof(shared_storage)};

  struct release {
    void operator()(void* memory) const noexcept { ::operator delete(memory, alignment); }
  };

  static void run_thread(void* self, int thread) {
    auto& emulator = *static_cast<block_emulator*>(self);
    emulated_block<Kernel::threads> block(emulator.scheduler_, thread, emulator.scheduler_.index(), emulator.grid_);
    emulator.kernel_(block, *static_cast<shared_storage*>(emulator.shared_.get()));
  }

  grid_extent grid_;
  const Kernel& kernel_;
  unsigned char fill_;
  std::unique_ptr<void, release> shared_;  // its exact size, so that the sanitizer's red zones touch it
  fiber_scheduler scheduler_;
};

}  // namespace detail

/// Runs `kernel` for every block of `grid`, in ascending order on one host thread.
///
/// An exception that leaves the kernel, in whatever emulated thread, ends the emulation and comes out here; the other
/// threads of the block stop where they are, without destruction of their local objects.
/// @throws error divergence, when threads of a warp or block do not reach the same collective; the message names two
///   of them and where they are. invalid_argument, when the grid is not one, or a shuffle's distance leaves 0..31.
template <block_kernel Kernel>
void emulate(const grid_extent& grid, const Kernel& kernel, const emulation& options = {}) {
  check_grid(grid);
  const auto workers = std::max(options.threads, 1u);
  std::vector<std::unique_ptr<detail::block_emulator<Kernel>>> emulators(workers);
  parallel_for(workers, grid.size(), [&](std::int64_t block, unsigned worker) {
    auto& emulator = emulators[worker];
    if (!emulator) { emulator = std::make_unique<detail::block_emulator<Kernel>>(grid, kernel, options); }
    emulator->run(block);
  });
}

}  // namespace gpuimg::simt
