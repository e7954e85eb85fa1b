/// @file
/// An execution that runs the kernels of medians in the emulator.
#pragma once

#include <cstdint>

#include "tests/filter/median_backends.hpp"
#include "tests/filter/median_cases.hpp"

#include "gpuimg/filter/detail/median_device.hpp"
#include "gpuimg/filter/median.hpp"
#include "gpuimg/simt/emulate.hpp"

namespace median_tests {

/// Launches in the emulator; see median_launch.hpp.
struct emulated_launcher {
  bool descending = false;
  std::size_t shared_memory = std::size_t{1} << 20;

  template <class Kernel>
  void operator()(const simt::grid_extent& grid, const Kernel& kernel) const {
    simt::emulate(grid, kernel, {.descending = descending});
  }
  template <class Kernel>
  bool holds() const {
    return sizeof(typename Kernel::shared_storage) <= shared_memory;
  }
  static std::vector<std::byte> scratch(std::size_t bytes) { return std::vector<std::byte>(bytes); }
};

/// What gpuimg::cuda is for a device.
struct emulated_device {
  emulated_launcher launcher;
};

template <class T>
void filter_any(const emulated_device& execution, const filter::detail::bordered_bands<T>& source,
                const cube_view<T>& destination, const filter::detail::window_frame& frame, std::int32_t rank,
                const filter::median_options<T>& options) {
  filter::detail::filter_on_device(execution.launcher, source, destination, frame, rank, options, options.workspace);
}

template <int Width, int Height, int Rank, class T>
void filter_compiled(const emulated_device& execution, filter::detail::compiled_rank<Width, Height, Rank>,
                     const filter::detail::bordered_bands<T>& source, const cube_view<T>& destination,
                     const filter::median_options<T>& options) {
  filter::detail::filter_compiled_on_device<Width, Height, Rank>(execution.launcher, source, destination, options,
                                                                 options.workspace);
}

template <class T, class Once>
void filter_bands(const emulated_device&, const filter::detail::bordered_bands<T>& source,
                  const cube_view<T>& destination, const filter::median_options<T>& options, const Once& once) {
  filter::detail::filter_bands(host{}, source, destination, options, once);
}

struct emulated_backend {
  bool wide = false;
  bool descending = false;
  std::size_t shared_memory = std::size_t{1} << 20;

  static const std::vector<std::uint8_t>& mask(const std::vector<std::uint8_t>& bytes) { return bytes; }

  template <class T, class Body>
  void run(const picture<T>& source, picture<T>& destination, const Body& body) const {
    with_framed(source, destination, wide, [&](auto& from, auto& to) {
      body(emulated_device{{descending, shared_memory}}, from.view(const_cast<const T*>(from.memory().data())),
           to.view(to.memory().data()));
    });
  }
};

}  // namespace median_tests
