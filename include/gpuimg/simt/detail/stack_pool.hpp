/// @file
/// Stacks for fibers, kept for the next user.
#pragma once

#include <boost/context/protected_fixedsize_stack.hpp>
#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <utility>
#include <vector>

#include "gpuimg/simt/detail/instrumentation.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::simt::detail {

/// Memory for the frames of one fiber; the page below it faults.
class fiber_stack {
 public:
  explicit fiber_stack(std::size_t bytes) : allocator_(bytes), bytes_(bytes), context_(allocator_.allocate()) {
    name_ = register_stack(bottom(), context_.size);
  }
  fiber_stack(fiber_stack&& other) noexcept { swap(other); }
  fiber_stack& operator=(fiber_stack&& other) noexcept {
    swap(other);
    return *this;
  }
  ~fiber_stack() {
    if (context_.sp == nullptr) { return; }
    forget_stack(name_);
    allocator_.deallocate(context_);
  }

  /// What the constructor was asked for.
  std::size_t requested_bytes() const noexcept { return bytes_; }
  const boost::context::stack_context& context() const noexcept { return context_; }
  const void* bottom() const noexcept { return static_cast<const std::byte*>(context_.sp) - context_.size; }

 private:
  void swap(fiber_stack& other) noexcept {
    std::swap(allocator_, other.allocator_);
    std::swap(bytes_, other.bytes_);
    std::swap(context_, other.context_);
    std::swap(name_, other.name_);
  }

  boost::context::protected_fixedsize_stack allocator_;
  std::size_t bytes_ = 0;
  boost::context::stack_context context_;
  unsigned name_ = 0;
};

/// Stacks of one host thread that no fiber uses. Mapping a stack and its guard page takes several microseconds, which
/// would be most of the time of a small emulation.
class stack_pool {
 public:
  /// The pool of the calling thread.
  static stack_pool& of_this_thread() {
    thread_local stack_pool pool;
    return pool;
  }

  fiber_stack take(std::size_t bytes) {
    if (!stacks_.empty() && stacks_.back().requested_bytes() != bytes) { stacks_.clear(); }
    if (stacks_.empty()) { return fiber_stack(bytes); }
    auto stack = std::move(stacks_.back());
    stacks_.pop_back();
    return stack;
  }

  void give(fiber_stack&& stack) {
    forget_frames(stack.bottom(), stack.context().size);
    if (stacks_.size() < max_block_size) { stacks_.push_back(std::move(stack)); }
  }

 private:
  std::vector<fiber_stack> stacks_;
};

}  // namespace gpuimg::simt::detail
