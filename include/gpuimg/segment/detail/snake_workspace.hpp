/// @file
/// Where a batch of snakes keeps everything, in one piece of memory of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpuimg/core/error.hpp"
#include "gpuimg/segment/detail/snake_checks.hpp"
#include "gpuimg/segment/prefix_kernels.hpp"
#include "gpuimg/segment/region_sums.hpp"
#include "gpuimg/segment/snake_kernel.hpp"
#include "gpuimg/segment/snake_parameters.hpp"

namespace gpuimg {

/// What a batch of snakes has room for.
struct snake_capacity {
  std::int64_t width = 0;         ///< of every picture
  std::int64_t height = 0;        ///< of every picture
  std::int64_t starts = 1;        ///< snakes of one launch
  std::int32_t pictures = 1;      ///< that are held at a time
  std::int32_t max_nodes = 4096;  ///< of one snake
  bool masked = false;            ///< whether pictures come with masks
};

namespace detail {

/// Offsets of the parts of a workspace.
template <class Cell>
struct snake_layout {
  explicit snake_layout(const snake_capacity& c)
      : pitch(prefix_view<Cell>::pitch_for(c.width)),
        cells_per_picture(pitch * c.height),
        cells(take(sizeof(Cell), cells_per_picture * c.pictures)),
        keys(take(sizeof(range_keys), c.pictures)),
        jobs(take(sizeof(snake_job), c.starts)),
        records(take(sizeof(snake_record), c.starts)),
        traces(take(sizeof(snake_iteration), c.starts * longest_trace)),
        initial(take(sizeof(point), c.starts * c.max_nodes)),
        nodes(take(sizeof(point), c.starts * c.max_nodes)),
        spare(take(sizeof(point), c.starts * c.max_nodes)),
        edges(take(sizeof(region_sums), c.starts * c.max_nodes)),
        moves(take(sizeof(node_move), c.starts * moves_for(c.max_nodes))),
        queue(take(sizeof(std::int32_t), c.starts * c.max_nodes)),
        proposals(take(sizeof(std::int32_t), c.starts * c.max_nodes)),
        active(take(1, c.starts * c.max_nodes)) {}

  std::size_t bytes = 0;
  std::int64_t pitch;
  std::int64_t cells_per_picture;
  std::size_t cells;
  std::size_t keys;
  std::size_t jobs;
  std::size_t records;
  std::size_t traces;
  std::size_t initial;
  std::size_t nodes;
  std::size_t spare;
  std::size_t edges;
  std::size_t moves;
  std::size_t queue;
  std::size_t proposals;
  std::size_t active;

 private:
  std::size_t take(std::size_t size, std::int64_t count) noexcept {
    constexpr std::size_t line = 256;
    const std::size_t offset = bytes;
    bytes += (size * static_cast<std::size_t>(count) + line - 1) / line * line;
    return offset;
  }
};

/// A workspace at an address.
template <class Cell>
class snake_workspace {
 public:
  snake_workspace(const snake_capacity& capacity, std::byte* base) noexcept
      : capacity_(capacity), layout_(capacity), base_(base) {}

  const snake_layout<Cell>& layout() const noexcept { return layout_; }

  template <class T>
  T* at(std::size_t offset) const noexcept {
    return reinterpret_cast<T*>(base_ + offset);
  }

  prefix_view<Cell> prefix(std::int32_t picture) const noexcept {
    return {at<Cell>(layout_.cells) + picture * layout_.cells_per_picture, static_cast<std::int32_t>(capacity_.width),
            static_cast<std::int32_t>(capacity_.height), layout_.pitch};
  }
  range_keys* keys(std::int32_t picture) const noexcept { return at<range_keys>(layout_.keys) + picture; }

  /// The kernel that runs the jobs of the workspace.
  template <noise_model Model, snake_sample T, int Threads>
  snake_kernel<Model, T, Cell, Threads> kernel(const Model& model, const snake_parameters& parameters) const noexcept {
    return {model,
            parameters,
            prefix(0),
            layout_.cells_per_picture,
            keys(0),
            at<snake_job>(layout_.jobs),
            at<point>(layout_.initial),
            at<point>(layout_.nodes),
            at<point>(layout_.spare),
            at<region_sums>(layout_.edges),
            at<node_move>(layout_.moves),
            at<std::int32_t>(layout_.queue),
            at<std::int32_t>(layout_.proposals),
            at<std::uint8_t>(layout_.active),
            at<snake_iteration>(layout_.traces),
            at<snake_record>(layout_.records)};
  }

 private:
  snake_capacity capacity_;
  snake_layout<Cell> layout_;
  std::byte* base_;
};

/// Jobs of a launch, on the host.
struct snake_batch {
  std::vector<snake_job> jobs;
  std::vector<point> nodes;

  /// @throws error invalid_argument as snakes, or when the start's picture is not there or the batch is full
  void add(const snake_start& start, std::int32_t picture, const snake_capacity& capacity,
           const snake_parameters& parameters) {
    if (picture < 0 || picture >= capacity.pictures) {
      throw error(errc::invalid_argument, "snake: picture " + std::to_string(picture) + " is outside of 0.." +
                                              std::to_string(capacity.pictures - 1));
    }
    if (static_cast<std::int64_t>(jobs.size()) >= capacity.starts) {
      throw error(errc::invalid_argument,
                  "snake: more than the " + std::to_string(capacity.starts) + " starts that there is room for");
    }
    const auto checked = checked_start(start, capacity.width, capacity.height, parameters);
    jobs.push_back({checked.window, static_cast<std::int64_t>(nodes.size()),
                    static_cast<std::int32_t>(checked.nodes.size()), picture});
    nodes.insert(nodes.end(), checked.nodes.begin(), checked.nodes.end());
  }
};

/// A result from what a launch has left behind.
inline snake_result to_result(const snake_record& record, const point* nodes, const snake_iteration* trace) {
  snake_result result = to_result(record.outcome, record.encoding);
  result.nodes.assign(nodes, nodes + record.outcome.nodes);
  const auto kept = record.outcome.iterations < longest_trace ? record.outcome.iterations : longest_trace;
  result.trace.assign(trace, trace + kept);
  return result;
}

}  // namespace detail
}  // namespace gpuimg
