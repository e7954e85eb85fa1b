/// @file
/// A loop whose iterations are shared among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gpuimg {

/// Calls `body(index, thread)` for each index in 0..count-1, on up to `threads` threads (the caller's is one).
/// Indices are handed out one by one in ascending order; `thread` is in 0..threads-1 and no two calls with the same
/// `thread` overlap, so that it can select a scratch area. The first exception ends the loop early and is rethrown.
template <class Body>
void parallel_for(unsigned threads, std::int64_t count, const Body& body) {
  const auto workers = static_cast<unsigned>(std::clamp<std::int64_t>(count, 0, std::max(threads, 1u)));
  if (workers <= 1) {
    for (std::int64_t i = 0; i < count; ++i) { body(i, 0u); }
    return;
  }
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto work = [&](unsigned thread) {
    try {
      for (auto i = next.fetch_add(1); i < count; i = next.fetch_add(1)) { body(i, thread); }
    } catch (...) {
      next.store(count);
      const std::lock_guard guard(failure_lock);
      if (!failure) { failure = std::current_exception(); }
    }
  };
  {
    std::vector<std::jthread> pool;
    pool.reserve(workers - 1);
    for (unsigned t = 1; t < workers; ++t) { pool.emplace_back(work, t); }
    work(0);
  }
  if (failure) { std::rethrow_exception(failure); }
}

}  // namespace gpuimg
