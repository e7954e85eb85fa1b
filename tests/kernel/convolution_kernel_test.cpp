// The kernels of a convolution in the emulator: the same cases as the host's, bit for bit.
#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

#include "tests/filter/convolution_cases.hpp"
#include "tests/filter/convolution_tables.hpp"

#include "gpuimg/filter/detail/convolution_plans.hpp"
#include "gpuimg/simt/emulate.hpp"

using namespace filter_tests;

namespace {

template <class T>
struct emulator_values {
  std::vector<T> held;
  T* data() noexcept { return held.data(); }
  const std::vector<T>& values() const noexcept { return held; }
};

struct emulator_launcher {
  simt::emulation options;

  template <class Kernel>
  void operator()(const simt::grid_extent& grid, const Kernel& kernel) const {
    simt::emulate(grid, kernel, options);
  }
  template <class A, class Use>
  void with_copy(const std::vector<A>& coefficients, const Use& use) const {
    use(coefficients.data());
  }
};

struct emulator_place {
  bool descending = false;

  template <class T>
  emulator_values<T> upload(const std::vector<T>& values) const {
    return {values};
  }
  template <class Sum, class S, class D, class Kernel>
  void run(const cube_view<const S>& source, const cube_view<D>& destination, const Kernel& kernel, bool turned,
           const convolution_options& options) const {
    const emulator_launcher launcher{
        {.shared_fill = static_cast<unsigned char>(descending ? 0xFF : 0x00), .descending = descending}};
    filter::detail::run<Sum>(filter::detail::kernel_engine<emulator_launcher>{launcher}, source, destination, kernel,
                             turned, options);
  }
};

}  // namespace

TEST_SUITE("convolution kernels") {
  TEST_CASE("sizes, even and odd, and anchors") {
    check_sizes(emulator_place{});
    check_sizes(emulator_place{true});
  }
  TEST_CASE("borders, of pictures smaller than the window too") { check_borders(emulator_place{}); }
  TEST_CASE("pitches, crops, planes, interleaved channels, empty pictures") { check_layouts(emulator_place{true}); }
  TEST_CASE("types of samples and coefficients") { check_types(emulator_place{}); }
  TEST_CASE("integer sums are exact at any size, and divided") { check_exact_sums(emulator_place{}); }
  TEST_CASE("a row and a column") {
    check_products(emulator_place{});
    check_products(emulator_place{true});
  }
  TEST_CASE("NaN stays within the window") { check_nan_stays(emulator_place{}); }
  TEST_CASE("rounding and saturation") { check_rounding(emulator_place{}); }
  TEST_CASE("kernels of a static size, sums of a chosen type") { check_static_kernels(emulator_place{}); }
  TEST_CASE("results of SciPy's tests") { check_scipy_facts(emulator_place{}); }
  TEST_CASE("convolution turns the kernel, correlation does not") { check_turning(emulator_place{}); }
  TEST_CASE("the value of a constant border") { check_border_values(emulator_place{}); }
  TEST_CASE("kernels up to 127 x 127") {
    check_size<float, float, float>(emulator_place{}, packed(40, 33), packed(40, 33), 127, 127, false, {});
  }
  TEST_CASE("a kernel that no shared memory holds is refused") {
    CHECK_THROWS_AS(
        (check_size<float, float, float>(emulator_place{}, packed(40, 33), packed(40, 33), 129, 1, false, {})), error);
  }
}
