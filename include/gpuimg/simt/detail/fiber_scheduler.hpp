/// @file
/// Runs the threads of one block at a time as fibers on the calling thread.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpuimg/core/error.hpp"
#include "gpuimg/simt/bits.hpp"
#include "gpuimg/simt/detail/instrumentation.hpp"
#include "gpuimg/simt/detail/meeting_point.hpp"
#include "gpuimg/simt/detail/stack_pool.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::simt::detail {

/// One fiber for each thread of a block, kept from block to block.
///
/// A fiber that waits hands over straight to the next one that can run; the main context is entered only when a block
/// ends or fails. After a failure the other fibers are dropped where they stand, not unwound: kernel functions may be
/// noexcept, and an exception that passes one would end the program before the failure is told. Objects that live in a
/// dropped frame are not destroyed; a kernel has trivial ones only.
class fiber_scheduler {
 public:
  /// What a thread of the block does: called once for each block.
  using thread_body = void (*)(void* context, int thread);

  /// @param descending  whether waiting threads run highest first instead of lowest first
  fiber_scheduler(int threads, std::size_t stack_bytes, bool descending, thread_body body, void* context)
      : threads_(threads),
        descending_(descending),
        body_(body),
        context_(context),
        block_(0, threads),
        runnable_(static_cast<std::size_t>(threads / warp_size)),
        waiting_(static_cast<std::size_t>(threads)),
        finished_(static_cast<std::size_t>(threads)),
        fibers_(static_cast<std::size_t>(threads) + 1) {
    for (int first = 0; first < threads; first += warp_size) { warps_.emplace_back(first, warp_size); }
    stacks_.reserve(static_cast<std::size_t>(threads));
    for (int thread = 0; thread < threads; ++thread) {
      stacks_.push_back(stack_pool::of_this_thread().take(stack_bytes));
      start_fiber(thread);
    }
  }

  fiber_scheduler(const fiber_scheduler&) = delete;
  fiber_scheduler& operator=(const fiber_scheduler&) = delete;

  ~fiber_scheduler() {
    if (!dropped_) {
      ending_ = true;
      for (int thread = 0; thread < threads_; ++thread) { switch_to(threads_, thread); }
    }
    for (auto& stack : stacks_) { stack_pool::of_this_thread().give(std::move(stack)); }
  }

  /// Runs all threads of a block to their end.
  /// @throws error divergence, or what a thread throws; no further block can be run then.
  void run_block(const grid_index& index) {
    index_ = index;
    block_.reset();
    for (auto& warp : warps_) { warp.reset(); }
    finished_.assign(finished_.size(), 0);
    unfinished_ = threads_;
    runnable_.assign(runnable_.size(), ~std::uint32_t{0});
    ready_warps_ = static_cast<std::uint32_t>((std::uint64_t{1} << warps_.size()) - 1);
    switch_to(threads_, take_runnable(0));
    if (failure_) {
      dropped_ = true;
      std::rethrow_exception(std::exchange(failure_, nullptr));
    }
  }

  meeting_point& block() noexcept { return block_; }
  meeting_point& warp_of(int thread) noexcept { return warps_[static_cast<std::size_t>(thread / warp_size)]; }
  const grid_index& index() const noexcept { return index_; }

  /// Announces that `thread` is at a collective; it may deposit its operand then. Fails where the others are elsewhere.
  void arrive(meeting_point& point, int thread, const call_site& site) {
    if (point.anyone_left()) { fail_after_exit(point, thread, site); }
    if (point.arrived() == 0) {
      point.open(site);
    } else if (!same_call(point.site(), site)) {
      fail_mismatch(point, thread, site);
    }
  }

  /// Returns when all threads of the group have arrived. The last one calls `complete` before anyone returns.
  template <class Complete>
  void wait(meeting_point& point, int thread, const Complete& complete) {
    if (point.count_in()) {
      complete();
      wake_others(point, thread);
      return;
    }
    waiting_[static_cast<std::size_t>(thread)] = &point;
    leave(thread);
    waiting_[static_cast<std::size_t>(thread)] = nullptr;
  }

  /// Keeps what the block will fail with, and where.
  void record_failure(errc code, const std::string& message) {
    failure_ =
        std::make_exception_ptr(error(code, "block (" + std::to_string(index_.x) + ", " + std::to_string(index_.y) +
                                                ", " + std::to_string(index_.z) + "): " + message));
  }

  /// Ends the block from `thread`. Nothing in the frames below may need destruction.
  [[noreturn]] void drop(int thread) {
    switch_to(thread, threads_);
    std::terminate();  // a dropped fiber is never resumed
  }

 private:
  /// The stacks outlive their fibers.
  struct keep_stack {
    void deallocate(const boost::context::stack_context&) const noexcept {}
  };

  /// A fiber is never destroyed: it has ended, or it is dropped. Only its stack is given back.
  struct fiber_state {
    fiber_state() noexcept {}
    fiber_state(const fiber_state&) = delete;
    fiber_state& operator=(const fiber_state&) = delete;
    ~fiber_state() {}

    union {
      boost::context::fiber handle{};
    };
    annotated_stack stack{};
  };

  fiber_state& fiber(int id) noexcept { return fibers_[static_cast<std::size_t>(id)]; }

  void start_fiber(int thread) {
    const auto& memory = stacks_.back();
    auto& state = fiber(thread);
    state.stack = {memory.bottom(), memory.context().size, nullptr};
    const boost::context::preallocated place(memory.context().sp, memory.context().size, memory.context());
    state.handle = boost::context::fiber(std::allocator_arg, place, keep_stack{},
                                         [this, thread](boost::context::fiber&& resumer) -> boost::context::fiber {
                                           arrived_from(thread, std::move(resumer));
                                           live(thread);
                                         });
  }

  /// The life of a fiber: a thread of each block in turn.
  [[noreturn]] void live(int thread) {
    while (!ending_) {
      try {
        body_(context_, thread);
      } catch (...) { failure_ = std::current_exception(); }
      if (failure_) { drop(thread); }
      finish(thread);
    }
    end(thread);
  }

  /// Leaves a fiber for good, but without returning: the sanitizer frees its shadow frames here, and the functions
  /// below would still write to theirs.
  [[noreturn]] GPUIMG_NOT_SANITIZED void end(int thread) {
    auto& main = fiber(threads_);
    previous_ = thread;
    announce_switch(nullptr, main.stack);
    std::move(main.handle).resume();
    std::terminate();  // an ended fiber is never resumed
  }

  void switch_to(int from, int to) {
    previous_ = from;
    announce_switch(&fiber(from).stack, fiber(to).stack);
    arrived_from(from, std::move(fiber(to).handle).resume());
  }

  /// On the stack of `now`: keeps the fiber that handed over to it.
  void arrived_from(int now, boost::context::fiber&& resumer) noexcept {
    auto& left = fiber(previous_);
    complete_switch(fiber(now).stack, left.stack);
    left.handle = std::move(resumer);
  }

  int pick(std::uint32_t candidates) const noexcept {
    return descending_ ? bit_width(candidates) - 1 : lowest_bit(candidates);
  }

  /// The thread to run next, of `warp` if it has one; the main context if nobody can run.
  int take_runnable(int warp) noexcept {
    if (runnable_[static_cast<std::size_t>(warp)] == 0) {
      if (ready_warps_ == 0) { return threads_; }
      warp = pick(ready_warps_);
    }
    auto& lanes = runnable_[static_cast<std::size_t>(warp)];
    const int lane = pick(lanes);
    lanes &= ~(std::uint32_t{1} << lane);
    if (lanes == 0) { ready_warps_ &= ~(std::uint32_t{1} << warp); }
    return warp * warp_size + lane;
  }

  void wake_others(const meeting_point& point, int thread) noexcept {
    const int first = point.first_thread() / warp_size;
    const int last = first + point.size() / warp_size;
    for (int warp = first; warp < last; ++warp) {
      const auto self = warp == thread / warp_size ? std::uint32_t{1} << (thread % warp_size) : 0u;
      runnable_[static_cast<std::size_t>(warp)] = ~self;
      ready_warps_ |= std::uint32_t{1} << warp;
    }
  }

  /// Hands over to whoever can run, and returns when this thread can.
  void leave(int thread) {
    const int next = take_runnable(thread / warp_size);
    if (next == threads_ && unfinished_ != 0) { fail_deadlock(thread); }
    switch_to(thread, next);
  }

  void finish(int thread) {
    finished_[static_cast<std::size_t>(thread)] = 1;
    --unfinished_;
    for (auto* point : {&warp_of(thread), &block_}) {
      point->count_out();
      if (point->arrived() != 0) { fail_exit(*point, thread); }
    }
    leave(thread);
  }

  /// The first thread from `thread` on that waits at `point`. One that can run has been there, and waits no more.
  int find_waiting(const meeting_point& point, int thread) const noexcept {
    const auto can_run = [&] {
      return (runnable_[static_cast<std::size_t>(thread / warp_size)] >> (thread % warp_size) & 1) != 0;
    };
    while (waiting_[static_cast<std::size_t>(thread)] != &point || can_run()) { ++thread; }
    return thread;
  }
  int find_waiting(const meeting_point& point) const noexcept { return find_waiting(point, point.first_thread()); }

  [[noreturn]] void fail_mismatch(const meeting_point& point, int thread, const call_site& site) {
    record_failure(errc::divergence, describe_thread(thread) + " reached " + describe(site) + ", but " +
                                         describe_thread(find_waiting(point)) + " waits at " + describe(point.site()));
    drop(thread);
  }

  [[noreturn]] void fail_after_exit(const meeting_point& point, int thread, const call_site& site) {
    int gone = point.first_thread();
    while (finished_[static_cast<std::size_t>(gone)] == 0) { ++gone; }
    record_failure(errc::divergence, describe_thread(thread) + " reached " + describe(site) + ", but " +
                                         describe_thread(gone) + " has left the kernel");
    drop(thread);
  }

  [[noreturn]] void fail_exit(const meeting_point& point, int thread) {
    record_failure(errc::divergence, describe_thread(thread) + " left the kernel, but " +
                                         describe_thread(find_waiting(point)) + " waits at " + describe(point.site()));
    drop(thread);
  }

  /// Nobody can run and nobody has left: some threads of a warp wait for the warp, its others for the block.
  [[noreturn]] void fail_deadlock(int thread) {
    const meeting_point* warp = warps_.data();
    while (warp->arrived() == 0) { ++warp; }
    const int other = find_waiting(block_, warp->first_thread());
    record_failure(errc::divergence, "deadlock: " + describe_thread(find_waiting(*warp)) + " waits at " +
                                         describe(warp->site()) + ", but " + describe_thread(other) + " waits at " +
                                         describe(block_.site()));
    drop(thread);
  }

  int threads_;
  bool descending_;
  bool ending_ = false;
  bool dropped_ = false;
  thread_body body_;
  void* context_;
  grid_index index_;
  int previous_ = 0;  ///< the fiber that handed over last
  int unfinished_ = 0;
  std::exception_ptr failure_;
  meeting_point block_;
  std::vector<meeting_point> warps_;
  std::vector<std::uint32_t> runnable_;  ///< a bit for each lane of a warp
  std::uint32_t ready_warps_ = 0;        ///< a bit for each warp with a lane that can run
  std::vector<const meeting_point*> waiting_;
  std::vector<unsigned char> finished_;
  std::vector<fiber_stack> stacks_;
  std::vector<fiber_state> fibers_;  ///< the last is the main context
};

}  // namespace gpuimg::simt::detail
