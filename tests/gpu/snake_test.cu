// The snake's kernels on a device: the bodies of tests/simt/snake_bodies.hpp, and what concerns device_snakes alone.
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "tests/gpu/device_fixture.hpp"
#include "tests/simt/snake_bodies.hpp"

#include "gpuimg/segment/snake.cuh"
#include "gpuimg/simt/launch.cuh"

using namespace gpuimg;

namespace {

class device_backend : public gpu_tests::device_fixture {
 public:
  template <class Model, class Cell, class T>
  std::vector<Cell> prefix(const snake_bodies::stored<T>& picture) const {
    const auto count = static_cast<std::size_t>(picture.height) * static_cast<std::size_t>(picture.width + 1);
    const auto cells = upload(std::vector<Cell>(count));
    const auto samples = upload(picture.samples);
    const auto mask = upload(picture.mask);
    const auto keys = upload(std::vector<std::uint32_t>(2, 0xFFFFFFFFu));
    const auto view = on_device(picture, samples);
    const auto mask_view = mask_on_device(picture, mask);
    auto* range = keys.template data<range_keys>();
    if constexpr (needs_range<Model, T>) {
      simt::launch(execution(), {.x = 3}, sample_range_kernel<Model>{view, mask_view, range});
    }
    using kernel = prefix_rows_kernel<Model, T, Cell>;
    const prefix_view<Cell> prefix{cells.template data<Cell>(), picture.width, picture.height, picture.width + 1};
    simt::launch(execution(), {.x = (picture.height + kernel::rows_per_block - 1) / kernel::rows_per_block},
                 kernel{view, mask_view, prefix, range});
    return download<Cell>(cells, count);
  }

  template <class Model, class T>
  std::vector<found_rectangle> rectangles(const snake_bodies::stored<T>& picture,
                                          const rectangle_search& search) const {
    device_snakes<Model, T> device(execution(),
                                   {.width = picture.width, .height = picture.height, .masked = !picture.mask.empty()});
    const auto samples = upload(picture.samples);
    const auto mask = upload(picture.mask);
    device.load(on_device(picture, samples), mask_on_device(picture, mask));
    return device.find_rectangles(search);
  }

  template <class Model, class T>
  std::vector<snake_result> snakes(const std::vector<snake_bodies::stored<T>>& pictures,
                                   const std::vector<snake_start>& starts,
                                   const std::vector<std::int32_t>& picture_of_start,
                                   const snake_parameters& parameters, const Model& model) const {
    const auto& first = pictures.front();
    device_snakes<Model, T> device(execution(),
                                   {.width = first.width,
                                    .height = first.height,
                                    .starts = static_cast<std::int64_t>(starts.size()),
                                    .pictures = static_cast<std::int32_t>(pictures.size()),
                                    .masked = !first.mask.empty()},
                                   model);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      const auto samples = upload(pictures[i].samples);
      const auto mask = upload(pictures[i].mask);
      device.load(on_device(pictures[i], samples), mask_on_device(pictures[i], mask), static_cast<std::int32_t>(i));
    }
    device.run(starts, parameters, picture_of_start);
    return device.results();
  }

 private:
  template <class T>
  static image_view<const T> on_device(const snake_bodies::stored<T>& picture, const simt::device_buffer& samples) {
    return {samples.template data<T>(), picture.width, picture.height,
            picture.pitch * static_cast<std::int64_t>(sizeof(T))};
  }
  template <class T>
  static image_view<const std::uint8_t> mask_on_device(const snake_bodies::stored<T>& picture,
                                                       const simt::device_buffer& mask) {
    if (picture.mask.empty()) { return {}; }
    return {mask.data<std::uint8_t>(), picture.width, picture.height};
  }
};

}  // namespace

TEST_SUITE("snake on a device") {
  TEST_CASE("prefix sums equal the host's") {
    device_backend backend;
    snake_bodies::prefix_sums(backend);
  }

  TEST_CASE("nodes and criteria equal the host's for every model and sample type") {
    device_backend backend;
    for (const int side : {96, 400}) { snake_bodies::models(backend, side); }
  }

  TEST_CASE("nodes and criteria equal the host's for all parameters and starts") {
    device_backend backend;
    for (const int side : {72, 300}) { snake_bodies::parameters(backend, side); }
  }

  TEST_CASE("snakes with more nodes than fit into shared memory go on in global memory") {
    device_backend backend;
    snake_bodies::many_nodes(backend, 400);
  }

  TEST_CASE("batches, small and large, give what each snake gives alone") {
    device_backend backend;
    snake_bodies::batch(backend, 64, 3);
    snake_bodies::batch(backend, 64, 150);
  }

  TEST_CASE("rectangles equal the host's") {
    device_backend backend;
    for (const int lines : {7, 31}) { snake_bodies::rectangles(backend, lines); }
  }

  TEST_CASE("a picture of 4096 x 4096 has the host's nodes") {
    device_backend backend;
    const auto picture = snake_bodies::store(oracle::gaussian_scene<std::uint8_t>(oracle::shape::star, 4096, 4096));
    snake_bodies::compare_one<gaussian>(backend, picture, snake_bodies::box(4096, 4096));
  }

  TEST_CASE("what does not fit is refused") {
    device_backend backend;
    const auto& execution = backend.execution();
    using snakes8 = device_snakes<gaussian, std::uint8_t>;
    CHECK_THROWS_AS(snakes8(execution, {.width = 0, .height = 5}), error);
    CHECK_THROWS_AS(snakes8(execution, {.width = 5, .height = 5, .starts = 0}), error);
    CHECK(snakes8::workspace_size({.width = 1000, .height = 1000}) > 8000000);
    snakes8 device(execution, {.width = 16, .height = 16, .starts = 1, .max_nodes = 8});
    const auto samples = backend.upload(std::vector<std::uint8_t>(256, 3));
    const image_view<const std::uint8_t> view(samples.data<std::uint8_t>(), 16, 16);
    CHECK_THROWS_AS(device.load(view.crop(0, 0, 8, 8)), error);
    CHECK_THROWS_AS(device.load(view, view), error);
    CHECK_THROWS_AS(device.load(view, {}, 1), error);
    device.load(view);
    const snake_start start{to_polygon({2, 2, 8, 8}), {}};
    CHECK_THROWS_AS(device.run(std::vector{start, start}), error);
    CHECK_THROWS_AS(device.run(std::vector{start}, {.rule = move_rule::sequential}), error);
    device.run({});
    CHECK(device.results().empty());
    device.run(std::vector{start});
    CHECK(device.results().size() == 1);
    const auto once = snake<gaussian>(execution, view, start);
    CHECK(once.reason == stop_reason::converged);
  }
}
