/// @file
/// What AddressSanitizer and memcheck must be told about fibers; nothing in a build without them.
///
/// GPUIMG_WITH_VALGRIND asks for memcheck's client requests, where its header is installed.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define GPUIMG_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GPUIMG_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(GPUIMG_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
/// A function whose own frame the sanitizer leaves alone.
#define GPUIMG_NOT_SANITIZED __attribute__((no_sanitize_address))
#else
#define GPUIMG_NOT_SANITIZED
#endif

#if defined(GPUIMG_WITH_VALGRIND) && defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define GPUIMG_MEMCHECK 1
#endif
#endif

namespace gpuimg::simt::detail {

/// A stack as the sanitizer sees it: its lowest address, its size, and the shadow frames put aside while it sleeps.
struct annotated_stack {
  const void* bottom = nullptr;
  std::size_t size = 0;
  void* shadow_frames = nullptr;
};

/// Before a switch from `from` to `to`. `from` is null when its fiber ends here.
inline void announce_switch([[maybe_unused]] annotated_stack* from,
                            [[maybe_unused]] const annotated_stack& to) noexcept {
#if defined(GPUIMG_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(from != nullptr ? &from->shadow_frames : nullptr, to.bottom, to.size);
#endif
}

/// After a switch, on the stack that now runs. Fills in the bounds of the one that was left.
inline void complete_switch([[maybe_unused]] annotated_stack& now, [[maybe_unused]] annotated_stack& left) noexcept {
#if defined(GPUIMG_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(now.shadow_frames, &left.bottom, &left.size);
#endif
}

/// Makes a stack plain memory again after its frames were dropped without being left.
inline void forget_frames([[maybe_unused]] const void* bottom, [[maybe_unused]] std::size_t size) noexcept {
#if defined(GPUIMG_ADDRESS_SANITIZER)
  ASAN_UNPOISON_MEMORY_REGION(bottom, size);
#endif
}

/// Tells memcheck that these bytes are a stack; returns its name for forget_stack.
inline unsigned register_stack([[maybe_unused]] const void* bottom, [[maybe_unused]] std::size_t size) noexcept {
#if defined(GPUIMG_MEMCHECK)
  return VALGRIND_STACK_REGISTER(bottom, static_cast<const char*>(bottom) + size);
#else
  return 0;
#endif
}

inline void forget_stack([[maybe_unused]] unsigned name) noexcept {
#if defined(GPUIMG_MEMCHECK)
  VALGRIND_STACK_DEREGISTER(name);
#endif
}

/// Marks bytes as never written.
inline void mark_unwritten([[maybe_unused]] void* bytes, [[maybe_unused]] std::size_t size) noexcept {
#if defined(GPUIMG_MEMCHECK)
  static_cast<void>(VALGRIND_MAKE_MEM_UNDEFINED(bytes, size));
#endif
}

}  // namespace gpuimg::simt::detail
