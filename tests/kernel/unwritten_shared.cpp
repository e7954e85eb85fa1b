/// @file
/// Under valgrind, what a kernel computes from shared memory that no thread has written is undefined, and what it
/// computes from memory that was written is not.
///
/// memcheck reports a branch or an address that depends on an undefined value. This test asks for the marks of the
/// results instead, so that it can say what it expects; elsewhere than under valgrind it has nothing to ask.
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "gpuimg/simt/emulate.hpp"

namespace simt = gpuimg::simt;

namespace {

/// Every thread passes a value through shared memory to its neighbour, and a reduction.
struct relay_kernel {
  static constexpr int threads = 64;
  struct shared_storage {
    std::uint32_t cells[threads];
  };

  std::uint32_t* output;  ///< a value and a sum for each thread
  int silent_thread;      ///< one that does not write its cell, or -1

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    if (block.rank() != silent_thread) { shared.cells[block.rank()] = static_cast<std::uint32_t>(block.rank()); }
    block.sync();
    const auto value = shared.cells[(block.rank() + 1) % threads];
    std::uint32_t* mine = output + (block.index().x * threads + block.rank()) * 2;
    mine[0] = value;
    mine[1] = block.warp().reduce(value, simt::plus{});
  }
};

#if defined(GPUIMG_MEMCHECK)
/// Whether each result is defined; no results where valgrind does not watch.
std::vector<bool> defined_results(int silent_thread) {
  constexpr std::size_t count = 2 * 2 * relay_kernel::threads;
  std::vector<std::uint32_t> output(count);
  simt::emulate({.x = 2}, relay_kernel{output.data(), silent_thread});
  std::vector<std::uint32_t> marks(count);
  if (VALGRIND_GET_VBITS(output.data(), marks.data(), count * sizeof(marks[0])) != 1) { return {}; }
  std::vector<bool> defined;
  for (const auto mark : marks) { defined.push_back(mark == 0); }
  return defined;
}
#endif

}  // namespace

TEST_CASE("memcheck sees what comes from unwritten shared memory") {
#if defined(GPUIMG_MEMCHECK)
  if (RUNNING_ON_VALGRIND == 0) {
    MESSAGE("not under valgrind");
    return;
  }
  const auto good = defined_results(-1);
  REQUIRE(!good.empty());
  for (const bool defined : good) { CHECK(defined); }

  const auto faulty = defined_results(40);
  for (std::size_t i = 0; i < faulty.size(); ++i) {
    const auto thread = i / 2 % relay_kernel::threads;
    const bool sum = i % 2 != 0;
    CAPTURE(thread);
    CHECK(faulty[i] == (sum ? thread < 32 : thread != 39));
  }
#else
  MESSAGE("built without valgrind's headers, or without GPUIMG_WITH_VALGRIND");
#endif
}
