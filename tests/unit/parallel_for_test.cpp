// The parallel loop: every index once, exclusive thread numbers, exceptions.
#include "gpuimg/core/parallel_for.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace gpuimg;

TEST_SUITE("parallel_for") {
  TEST_CASE("every index is visited once, whatever the number of threads") {
    for (const unsigned threads : {0u, 1u, 2u, 3u, 8u}) {
      for (const std::int64_t count : {0, 1, 2, 7, 1000}) {
        CAPTURE(threads);
        CAPTURE(count);
        std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
        parallel_for(threads, count, [&](std::int64_t i, unsigned) { ++visits[static_cast<std::size_t>(i)]; });
        std::int64_t once = 0;
        for (const auto& v : visits) { once += v == 1 ? 1 : 0; }
        CHECK(once == count);
      }
    }
  }

  TEST_CASE("one thread goes in ascending order on the caller's thread") {
    std::vector<std::int64_t> order;
    const auto caller = std::this_thread::get_id();
    parallel_for(1, 5, [&](std::int64_t i, unsigned thread) {
      CHECK(thread == 0);
      CHECK(std::this_thread::get_id() == caller);
      order.push_back(i);
    });
    CHECK(order == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  }

  TEST_CASE("a thread number is below the number of threads and never used twice at a time") {
    constexpr unsigned threads = 4;
    std::vector<std::atomic<bool>> busy(threads);
    std::atomic<int> overlaps{0};
    std::atomic<int> out_of_range{0};
    parallel_for(threads, 2000, [&](std::int64_t, unsigned thread) {
      if (thread >= threads) {
        ++out_of_range;
        return;
      }
      if (busy[thread].exchange(true)) { ++overlaps; }
      busy[thread] = false;
    });
    CHECK(overlaps == 0);
    CHECK(out_of_range == 0);
  }

  TEST_CASE("an exception reaches the caller and ends the loop early") {
    for (const unsigned threads : {1u, 4u}) {
      CAPTURE(threads);
      std::atomic<std::int64_t> visited{0};
      const std::int64_t count = 1'000'000'000;
      try {
        parallel_for(threads, count, [&](std::int64_t i, unsigned) {
          ++visited;
          if (i == 10) { throw std::runtime_error("index 10"); }
        });
        FAIL("nothing was thrown");
      } catch (const std::runtime_error& e) { CHECK(std::string(e.what()) == "index 10"); }
      CHECK(visited < count);
    }
  }

  TEST_CASE("when every thread throws, one exception is kept") {
    CHECK_THROWS_AS(parallel_for(8, 8, [](std::int64_t, unsigned) { throw std::invalid_argument("all"); }),
                    std::invalid_argument);
  }

  TEST_CASE("a negative count does nothing") {
    bool called = false;
    parallel_for(3, -1, [&](std::int64_t, unsigned) { called = true; });
    CHECK_FALSE(called);
  }
}
