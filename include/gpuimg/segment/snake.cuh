/// @file
/// Region snakes on a CUDA device.
///
/// @code
/// gpuimg::device_snakes<gpuimg::gaussian, std::uint8_t> snakes({.stream = stream}, {.width = 4096, .height = 4096,
/// .starts = 1000}); snakes.load(picture);      // on the device snakes.run(starts);        // returns at once for
/// (const auto& found : snakes.results()) { ... }
/// @endcode
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/segment/detail/rectangle_workspace.hpp"
#include "gpuimg/segment/detail/snake_checks.hpp"
#include "gpuimg/segment/detail/snake_workspace.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/polygon.hpp"
#include "gpuimg/segment/prefix_image.hpp"
#include "gpuimg/segment/prefix_kernels.hpp"
#include "gpuimg/segment/rectangle_search.hpp"
#include "gpuimg/segment/snake_kernel.hpp"
#include "gpuimg/segment/snake_parameters.hpp"
#include "gpuimg/simt/cuda_memory.cuh"
#include "gpuimg/simt/launch.cuh"

namespace gpuimg {

/// Region snakes on pictures of one size that are in device memory: many starts on one picture, or on many pictures, in
/// one launch. Results equal those of the host's parity rule bit for bit.
///
/// All memory is taken by the constructor. load() and run() only submit work to the execution's stream; results()
/// waits. The stream, and the memory resource if there is one, must outlive the object; an object serves one thread at
/// a time.
/// @tparam Threads  of the block that runs one snake: 512 for few snakes, 128 when there are more than multiprocessors
template <noise_model Model, snake_sample T, int Threads = 512>
class device_snakes {
 public:
  /// @throws error invalid_argument for a capacity that is out of range, out_of_memory, device
  device_snakes(const cuda& execution, const snake_capacity& capacity, const Model& model = {})
      : execution_(execution),
        capacity_(checked(capacity)),
        model_(model),
        memory_(execution, workspace_size(capacity)),
        search_memory_(execution) {
    // results() copies traces, and nodes up to those of the longest snake, whole.
    with_workspace([&]<class Cell>(const detail::snake_workspace<Cell>& workspace) {
      const auto& layout = workspace.layout();
      clear(workspace.template at<snake_iteration>(layout.traces), capacity_.starts * detail::longest_trace);
      clear(workspace.template at<point>(layout.nodes), capacity_.starts * capacity_.max_nodes);
    });
  }

  /// Bytes of device memory that an object of this capacity takes: above all, for each pixel of each picture, 8 (u8),
  /// 16 (u16, i16) or 32 (with masks, f32, and where the model does not know all samples).
  /// @throws error invalid_argument for a capacity that is out of range
  static std::size_t workspace_size(const snake_capacity& capacity) {
    checked(capacity);
    return detail::with_cell<Model, T>(capacity.masked, capacity.width,
                                       [&]<class Cell>() { return detail::snake_layout<Cell>(capacity).bytes; });
  }

  /// Makes the prefix sums of picture number `index`. `picture` and `mask` are in device memory, and are not read any
  /// more when the stream has done this. O(pixels).
  /// @throws error invalid_argument, when size, mask or index do not fit the capacity; device
  void load(const image_view<const T>& picture, const image_view<const std::uint8_t>& mask = {},
            std::int32_t index = 0) {
    if (picture.width != capacity_.width || picture.height != capacity_.height) {
      throw error(errc::invalid_argument, "snake: a picture of " + std::to_string(picture.width) + "x" +
                                              std::to_string(picture.height) + " where " +
                                              std::to_string(capacity_.width) + "x" + std::to_string(capacity_.height) +
                                              " is expected");
    }
    detail::check_snake_picture(picture, mask);
    detail::check_index("snake: picture", index, capacity_.pictures);
    if (mask.data != nullptr && !capacity_.masked) {
      throw error(errc::invalid_argument, "snake: a mask, where the capacity says that there is none");
    }
    with_workspace([&]<class Cell>(const detail::snake_workspace<Cell>& workspace) {
      if constexpr (needs_range<Model, T>) {
        const simt::device_guard guard(execution_.device);
        simt::check_cuda(cudaMemsetAsync(workspace.keys(index), 0xFF, sizeof(range_keys), execution_.stream), "snake");
        constexpr std::int64_t most_blocks = 1024;
        simt::launch(execution_, {.x = std::min(picture.height, most_blocks)},
                     sample_range_kernel<Model>{picture, mask, workspace.keys(index)});
      }
      using kernel = prefix_rows_kernel<Model, T, Cell>;
      simt::launch(execution_, {.x = (picture.height + kernel::rows_per_block - 1) / kernel::rows_per_block},
                   kernel{picture, mask, workspace.prefix(index), workspace.keys(index)});
    });
  }

  /// The most likely rectangles of a loaded picture, as find_rectangles of the host; waits for them. Takes memory for
  /// the search at the first call.
  /// @throws error invalid_argument as the host's, or for a picture that is not there; out_of_memory, device
  std::vector<found_rectangle> find_rectangles(const rectangle_search& search = {}, std::int32_t index = 0) {
    detail::check_rectangle_search(search);
    detail::check_index("snake: picture", index, capacity_.pictures);
    const auto grid =
        detail::make_rectangle_grid(static_cast<std::int32_t>(capacity_.width),
                                    static_cast<std::int32_t>(capacity_.height), search.columns, search.rows);
    detail::rectangle_workspace found(grid, search.count);
    search_memory_.reserve(found.bytes());
    found.place(search_memory_.template data<std::byte>());
    const simt::device_guard guard(execution_.device);
    simt::check_cuda(cudaMemsetAsync(found.count(), 0, sizeof(std::int64_t), execution_.stream), "find_rectangles");
    with_workspace([&]<class Cell>(const detail::snake_workspace<Cell>& workspace) {
      const prefix_view<const Cell> picture = workspace.prefix(index);
      found.submit<Model, T, Cell>(picture, workspace.keys(index), model_, search.count, launcher{execution_});
    });
    std::int64_t count = 0;
    copy(&count, static_cast<const std::int64_t*>(found.count()), 1);
    wait();
    std::vector<found_rectangle> rectangles(static_cast<std::size_t>(count));
    if (count != 0) { copy(rectangles.data(), static_cast<const found_rectangle*>(found.taken()), rectangles.size()); }
    wait();
    return rectangles;
  }

  /// Runs a snake for each start, on the loaded picture that `picture_of_start` names (without it, on picture 0). Nodes
  /// are limited by the lesser of parameters.max_nodes and the capacity's.
  /// @throws error invalid_argument as the host's snakes, for the sequential rule, or for more starts or nodes than
  /// there
  ///   is room for; device
  void run(std::span<const snake_start> starts, const snake_parameters& parameters = {},
           std::span<const std::int32_t> picture_of_start = {}) {
    snake_parameters own = parameters;
    own.max_nodes = std::min(own.max_nodes, capacity_.max_nodes);
    detail::check_snake_parameters(own);
    if (own.rule != move_rule::parity) {
      throw error(errc::unsupported, "snake: the sequential rule runs on the host only");
    }
    if (!picture_of_start.empty() && picture_of_start.size() != starts.size()) {
      throw error(errc::invalid_argument, "snake: " + std::to_string(picture_of_start.size()) + " pictures for " +
                                              std::to_string(starts.size()) + " starts");
    }
    detail::snake_batch batch;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      batch.add(starts[i], picture_of_start.empty() ? 0 : picture_of_start[i], capacity_, own);
    }
    batch_ = std::move(batch);
    nodes_per_snake_ = own.max_nodes;
    if (batch_.jobs.empty()) { return; }
    with_workspace([&]<class Cell>(const detail::snake_workspace<Cell>& workspace) {
      const auto& layout = workspace.layout();
      copy(workspace.template at<snake_job>(layout.jobs), batch_.jobs.data(), batch_.jobs.size());
      copy(workspace.template at<point>(layout.initial), batch_.nodes.data(), batch_.nodes.size());
      simt::launch(execution_, {.x = static_cast<std::int64_t>(batch_.jobs.size())},
                   workspace.template kernel<Model, T, Threads>(model_, own));
    });
  }

  /// Waits for the last run() and returns what its snakes have found, in the order of its starts.
  /// @throws error device
  std::vector<snake_result> results() const {
    const std::size_t count = batch_.jobs.size();
    std::vector<snake_result> found(count);
    if (count == 0) { return found; }
    with_workspace([&]<class Cell>(const detail::snake_workspace<Cell>& workspace) {
      const auto& layout = workspace.layout();
      std::vector<snake_record> records(count);
      std::vector<snake_iteration> traces(count * detail::longest_trace);
      copy(records.data(), workspace.template at<snake_record>(layout.records), count);
      copy(traces.data(), workspace.template at<snake_iteration>(layout.traces), traces.size());
      wait();
      std::int32_t most = 0;
      for (const auto& record : records) { most = std::max(most, record.outcome.nodes); }
      const auto width = static_cast<std::size_t>(most);
      std::vector<point> nodes(count * width);
      const simt::device_guard guard(execution_.device);
      simt::check_cuda(
          cudaMemcpy2DAsync(nodes.data(), width * sizeof(point), workspace.template at<point>(layout.nodes),
                            static_cast<std::size_t>(nodes_per_snake_) * sizeof(point), width * sizeof(point), count,
                            cudaMemcpyDefault, execution_.stream),
          "snake: nodes");
      wait();
      for (std::size_t i = 0; i < count; ++i) {
        found[i] = detail::to_result(records[i], nodes.data() + i * width, traces.data() + i * detail::longest_trace);
      }
    });
    return found;
  }

 private:
  /// Submits a kernel.
  struct launcher {
    const cuda& execution;

    template <class Kernel>
    void operator()(const simt::grid_extent& grid, const Kernel& kernel) const {
      simt::launch(execution, grid, kernel);
    }
  };

  static const snake_capacity& checked(const snake_capacity& c) {
    detail::check_snake_picture(image_view<const T>(nullptr, c.width, c.height), {});
    const auto refuse = [](const char* name, std::int64_t value) {
      throw error(errc::invalid_argument, std::string("snake: a capacity of ") + std::to_string(value) + " " + name);
    };
    if (c.starts < 1 || c.starts > (1 << 24)) { refuse("starts", c.starts); }
    if (c.pictures < 1 || c.pictures > (1 << 20)) { refuse("pictures", c.pictures); }
    if (c.max_nodes < 3 || c.max_nodes > (1 << 24)) { refuse("nodes", c.max_nodes); }
    return c;
  }

  template <class Body>
  void with_workspace(const Body& body) const {
    detail::with_cell<Model, T>(capacity_.masked, capacity_.width, [&]<class Cell>() {
      body(detail::snake_workspace<Cell>(capacity_, memory_.template data<std::byte>()));
    });
  }

  template <class U>
  void copy(U* to, const U* from, std::size_t count) const {
    const simt::device_guard guard(execution_.device);
    simt::check_cuda(cudaMemcpyAsync(to, from, count * sizeof(U), cudaMemcpyDefault, execution_.stream), "snake: copy");
  }

  template <class U>
  void clear(U* at, std::int64_t count) const {
    const simt::device_guard guard(execution_.device);
    simt::check_cuda(cudaMemsetAsync(at, 0, static_cast<std::size_t>(count) * sizeof(U), execution_.stream), "snake");
  }

  void wait() const { simt::check_cuda(cudaStreamSynchronize(execution_.stream), "snake"); }

  cuda execution_;
  snake_capacity capacity_;
  Model model_;
  simt::device_buffer memory_;
  simt::device_buffer search_memory_;
  detail::snake_batch batch_;
  std::int32_t nodes_per_snake_ = 0;
};

/// Snakes on one picture in device memory; waits for the result. Takes memory for one call: for many, keep a
/// device_snakes. Parameters and errors as for the host's snakes, and those of device_snakes.
template <noise_model Model, class T>
requires snake_sample<std::remove_const_t<T>> std::vector<snake_result> snakes(
    const cuda& execution, const image_view<T>& image, std::span<const snake_start> starts,
    const snake_parameters& parameters = {}, const image_view<const std::uint8_t>& mask = {}, const Model& model = {}) {
  const snake_capacity capacity{.width = image.width,
                                .height = image.height,
                                .starts = std::max<std::int64_t>(1, static_cast<std::int64_t>(starts.size())),
                                .max_nodes = parameters.max_nodes,
                                .masked = mask.data != nullptr};
  device_snakes<Model, std::remove_const_t<T>> device(execution, capacity, model);
  device.load(image, mask);
  device.run(starts, parameters);
  return device.results();
}

/// One snake on a picture in device memory; see snakes.
template <noise_model Model, class T>
requires snake_sample<std::remove_const_t<T>> snake_result snake(const cuda& execution, const image_view<T>& image,
                                                                 const snake_start& start,
                                                                 const snake_parameters& parameters = {},
                                                                 const image_view<const std::uint8_t>& mask = {},
                                                                 const Model& model = {}) {
  return snakes<Model>(execution, image, std::span(&start, 1), parameters, mask, model).front();
}

}  // namespace gpuimg
