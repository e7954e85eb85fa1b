// The example of a kernel of one's own: a median and a correlation in one, against the library's two.
#include <cstddef>
#include <doctest/doctest.h>
#include <random>
#include <utility>
#include <vector>

#include "examples/fused_filter/median_then_convolve.hpp"

#include "gpuimg/filter/convolution.hpp"
#include "gpuimg/filter/median.hpp"
#include "gpuimg/simt/emulate.hpp"

using namespace gpuimg;

TEST_SUITE("a fused filter") {
  TEST_CASE("equals median and correlation, up to the border") {
    for (const auto& size : {std::pair{1, 1}, {5, 3}, {131, 37}, {140, 9}, {300, 70}, {264, 90}}) {
      const int width = size.first;
      const int height = size.second;
      for (const auto mode : {filter::border::reflect, filter::border::reflect101, filter::border::wrap}) {
        std::mt19937 random(static_cast<unsigned>(width));
        std::vector<float> in(static_cast<std::size_t>(width * height));
        for (float& v : in) { v = static_cast<float>(random() % 100000) / 1000 - 50; }
        std::vector<float> medians(in.size());
        std::vector<float> expected(in.size());
        std::vector<float> actual(in.size());
        filter::static_kernel<float, 5, 5> kernel;
        for (int i = 0; i < 25; ++i) { kernel.coefficients[i] = static_cast<float>(i % 7) / 60 - 0.01f; }
        const image_view<const float> source(in.data(), width, height);
        const image_view<float> between(medians.data(), width, height);
        filter::median<3, 3>(host{1}, source, between, mode);
        filter::correlate(host{1}, between, image_view<float>(expected.data(), width, height), kernel, {.mode = mode});
        examples::median_then_convolve_kernel fused{{source, mode}, {actual.data(), width, height}, {}};
        for (int i = 0; i < 25; ++i) { fused.coefficients[i] = kernel.coefficients[i]; }
        simt::emulate(fused.grid(), fused);
        CAPTURE(width);
        CAPTURE(height);
        CHECK(actual == expected);
      }
    }
  }
}
