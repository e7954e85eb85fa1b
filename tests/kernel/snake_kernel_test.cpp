// The snake's kernels in the emulator.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <new>
#include <vector>

#include "tests/simt/snake_bodies.hpp"

#include "gpuimg/segment/detail/rectangle_workspace.hpp"
#include "gpuimg/segment/detail/snake_workspace.hpp"
#include "gpuimg/simt/emulate.hpp"

using namespace gpuimg;

namespace {

/// Runs kernels of `Threads` threads in the emulator.
template <int Threads>
class emulator_backend {
 public:
  simt::emulation options;

  template <class Model, class Cell, class T>
  std::vector<Cell> prefix(const snake_bodies::stored<T>& picture) const {
    std::vector<Cell> cells(static_cast<std::size_t>(picture.height) * static_cast<std::size_t>(picture.width + 1));
    const range_keys keys = find_keys<Model>(picture);
    submit_prefix<Model, Cell>(picture, {cells.data(), picture.width, picture.height, picture.width + 1}, &keys);
    return cells;
  }

  template <class Model, class T>
  std::vector<found_rectangle> rectangles(const snake_bodies::stored<T>& picture,
                                          const rectangle_search& search) const {
    std::vector<found_rectangle> found;
    gpuimg::detail::with_cell<Model, T>(!picture.mask.empty(), picture.width, [&]<class Cell>() {
      const auto cells = prefix<Model, Cell>(picture);
      const range_keys keys = find_keys<Model>(picture);
      const auto grid = gpuimg::detail::make_rectangle_grid(picture.width, picture.height, search.columns, search.rows);
      gpuimg::detail::rectangle_workspace workspace(grid, search.count);
      std::vector<std::uint64_t> memory(workspace.bytes() / sizeof(std::uint64_t));
      workspace.place(reinterpret_cast<std::byte*>(memory.data()));
      const prefix_view<const Cell> view{cells.data(), picture.width, picture.height, picture.width + 1};
      workspace.submit<Model, T, Cell>(
          view, &keys, Model{}, search.count,
          [&](const simt::grid_extent& extent, const auto& kernel) { simt::emulate(extent, kernel, options); });
      found.assign(workspace.taken(), workspace.taken() + *workspace.count());
    });
    return found;
  }

  template <class Model, class T>
  std::vector<snake_result> snakes(const std::vector<snake_bodies::stored<T>>& pictures,
                                   const std::vector<snake_start>& starts,
                                   const std::vector<std::int32_t>& picture_of_start,
                                   const snake_parameters& parameters, const Model& model) const {
    const auto& first = pictures.front();
    const snake_capacity capacity{first.width,
                                  first.height,
                                  static_cast<std::int64_t>(starts.size()),
                                  static_cast<std::int32_t>(pictures.size()),
                                  parameters.max_nodes,
                                  !first.mask.empty()};
    std::vector<snake_result> results;
    gpuimg::detail::with_cell<Model, T>(capacity.masked, capacity.width, [&]<class Cell>() {
      const gpuimg::detail::snake_layout<Cell> layout(capacity);
      std::vector<std::byte> memory(layout.bytes + 256);
      auto* base = memory.data() + (256 - reinterpret_cast<std::uintptr_t>(memory.data()) % 256) % 256;
      const gpuimg::detail::snake_workspace<Cell> workspace(capacity, base);
      gpuimg::detail::snake_batch batch;
      for (std::size_t i = 0; i < starts.size(); ++i) {
        batch.add(starts[i], picture_of_start[i], capacity, parameters);
      }
      std::memcpy(workspace.template at<std::byte>(layout.jobs), batch.jobs.data(),
                  batch.jobs.size() * sizeof(snake_job));
      std::memcpy(workspace.template at<std::byte>(layout.initial), batch.nodes.data(),
                  batch.nodes.size() * sizeof(point));
      for (std::int32_t i = 0; i < capacity.pictures; ++i) {
        const auto& picture = pictures[static_cast<std::size_t>(i)];
        *workspace.keys(i) = find_keys<Model>(picture);
        submit_prefix<Model, Cell>(picture, workspace.prefix(i), workspace.keys(i));
      }
      simt::emulate({.x = capacity.starts}, workspace.template kernel<Model, T, Threads>(model, parameters), options);
      for (std::size_t i = 0; i < starts.size(); ++i) {
        results.push_back(gpuimg::detail::to_result(
            workspace.template at<snake_record>(layout.records)[i],
            workspace.template at<point>(layout.nodes) + i * static_cast<std::size_t>(parameters.max_nodes),
            workspace.template at<snake_iteration>(layout.traces) + i * gpuimg::detail::longest_trace));
      }
    });
    return results;
  }

 private:
  template <class Model, class T>
  range_keys find_keys([[maybe_unused]] const snake_bodies::stored<T>& picture) const {
    range_keys keys{0xFFFFFFFFu, 0xFFFFFFFFu};
    if constexpr (needs_range<Model, T>) {
      simt::emulate({.x = 3}, sample_range_kernel<Model>{picture.view(), picture.mask_view(), &keys}, options);
    }
    return keys;
  }

  template <class Model, class Cell, class T>
  void submit_prefix(const snake_bodies::stored<T>& picture, const prefix_view<Cell>& prefix,
                     const range_keys* keys) const {
    using kernel = prefix_rows_kernel<Model, T, Cell>;
    simt::emulate({.x = (picture.height + kernel::rows_per_block - 1) / kernel::rows_per_block},
                  kernel{picture.view(), picture.mask_view(), prefix, keys}, options);
  }
};

}  // namespace

TEST_SUITE("snake kernels") {
  TEST_CASE("prefix sums equal the host's") {
    for (const bool descending : {false, true}) {
      emulator_backend<128> backend{{.threads = 2, .descending = descending}};
      snake_bodies::prefix_sums(backend);
    }
  }

  TEST_CASE("nodes and criteria equal the host's for every model and sample type") {
    emulator_backend<128> backend;
    snake_bodies::models(backend, 96);
    snake_bodies::more_models(backend, 96);
  }

  TEST_CASE("nodes and criteria equal the host's for all parameters and starts") {
    emulator_backend<256> backend{{.descending = true}};
    snake_bodies::parameters(backend, 72);
  }

  TEST_CASE("a block of one warp and one of the largest size agree") {
    const auto picture = snake_bodies::store(oracle::gaussian_scene<std::uint8_t>(oracle::shape::star, 110, 100));
    emulator_backend<32> warp;
    snake_bodies::compare_one<gaussian>(warp, picture, snake_bodies::box(110, 100));
    emulator_backend<1024> largest;
    snake_bodies::compare_one<gaussian>(largest, picture, snake_bodies::box(110, 100));
  }

  TEST_CASE("snakes with more nodes than fit into shared memory go on in global memory") {
    emulator_backend<32> warp;
    snake_bodies::many_nodes(warp, 80);
    emulator_backend<64> two{{.descending = true}};
    snake_bodies::many_nodes(two, 80);
  }

  TEST_CASE("a batch of snakes on several pictures gives what each gives alone") {
    emulator_backend<64> backend{{.threads = 2}};
    snake_bodies::batch(backend, 64, 3);
  }

  TEST_CASE("rectangles equal the host's") {
    emulator_backend<128> backend{{.threads = 2, .descending = true}};
    snake_bodies::rectangles(backend, 7);
  }

  TEST_CASE("keys of f32 samples are ordered as these are") {
    const std::vector<float> ascending{-3e38f, -2.0f, -1e-40f, -0.0f, 0.0f, 1e-40f, 1.0f, 3e38f};
    for (std::size_t i = 0; i < ascending.size(); ++i) {
      CHECK(range_keys::value(range_keys::key(ascending[i])) == ascending[i]);
      if (i != 0) { CHECK(range_keys::key(ascending[i - 1]) < range_keys::key(ascending[i])); }
    }
    CHECK(range_keys{0xFFFFFFFFu, 0xFFFFFFFFu}.range().low > 0);
  }
}
