/// @file
/// The kernel of the region snake: a thread block for each snake, from the initial polygon to the last node.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/segment/detail/snake_machine.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/polygon.hpp"
#include "gpuimg/segment/prefix_kernels.hpp"
#include "gpuimg/segment/region_sums.hpp"
#include "gpuimg/segment/sample_encoding.hpp"
#include "gpuimg/segment/snake_parameters.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg {

/// One snake of a launch: which of the initial nodes are its own, in positive order, and where it may go.
struct snake_job {
  rectangle window;
  std::int64_t first_node = 0;  ///< in snake_kernel::initial
  std::int32_t nodes = 0;
  std::int32_t picture = 0;  ///< in snake_kernel::picture
};

/// What a snake leaves behind, beside its nodes.
struct snake_record {
  detail::snake_outcome outcome;
  sample_encoding encoding;
};

/// Runs snakes, each by one thread block; the grid has a block for each job, along x. The same decisions as the host's,
/// bit for bit.
///
/// The block never leaves the device between moves: its threads look at all directions of all even nodes at once,
/// then at those of the odd nodes, and agree on what to move through a few block-wide sums.
template <noise_model Model, snake_sample T, class Cell, int Threads>
struct snake_kernel {
  static constexpr int threads = Threads;

  /// Nodes that are kept in shared memory; a snake with more goes on in the memory of its job. Few enough for 64 KiB.
  static constexpr int resident_nodes = Threads < 480 ? Threads / 8 * 10 : 600;

  struct shared_storage {
    detail::snake_state<Threads> state;
    detail::node_arena<resident_nodes> arena;
  };

  Model model;
  snake_parameters parameters;
  prefix_view<const Cell> picture;     ///< the first picture
  std::int64_t cells_per_picture = 0;  ///< from a picture to the next
  const range_keys* keys = nullptr;    ///< of each picture; read when needs_range<Model, T>
  const snake_job* jobs = nullptr;
  const point* initial = nullptr;
  // For each job: max_nodes of all but moves, of which it has half as many; longest_trace iterations; one record.
  point* nodes = nullptr;
  point* spare = nullptr;
  region_sums* edges = nullptr;
  detail::node_move* moves = nullptr;
  std::int32_t* queue = nullptr;
  std::int32_t* proposals = nullptr;
  std::uint8_t* active = nullptr;
  snake_iteration* traces = nullptr;
  snake_record* records = nullptr;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    const std::int64_t number = block.index().x;
    const snake_job job = jobs[number];
    const std::int64_t first = number * parameters.max_nodes;
    point* const own_nodes = nodes + first;
    const detail::snake_memory large{
        own_nodes,     spare + first,     edges + first,  moves + number * detail::moves_for(parameters.max_nodes),
        queue + first, proposals + first, active + first, parameters.max_nodes};
    detail::snake_memory memory = shared.arena.memory();
    if (job.nodes > memory.capacity) { memory = large; }
    for (std::int32_t i = block.rank(); i < job.nodes; i += Threads) { memory.nodes[i] = initial[job.first_node + i]; }
    if (block.rank() == 0) { shared.state.begin(memory, large, job.nodes); }
    block.sync();
    sample_range range;
    if constexpr (needs_range<Model, T>) { range = keys[job.picture].range(); }
    const auto encoding = make_encoding<Model, T>(range, std::int64_t{picture.width} * picture.height);
    prefix_view<const Cell> own = picture;
    own.data += job.picture * cells_per_picture;
    const keep_trace observer{traces + number * detail::longest_trace, block.rank()};
    detail::snake_machine<Block, Model, Cell, keep_trace> machine(block, shared.state, model, own, 1 / encoding.scale,
                                                                  job.window, parameters, observer);
    const auto outcome = machine.run();
    if (machine.nodes() != own_nodes) {
      for (std::int32_t i = block.rank(); i < outcome.nodes; i += Threads) { own_nodes[i] = machine.nodes()[i]; }
    }
    if (block.rank() == 0) { records[number] = {outcome, encoding}; }
  }

 private:
  /// Writes iterations to global memory.
  struct keep_trace {
    snake_iteration* trace;
    int rank;

    GPUIMG_FUNCTION void operator()(const snake_iteration& record, const point*) const noexcept {
      if (rank == 0 && record.number < detail::longest_trace) { trace[record.number] = record; }
    }
  };
};

}  // namespace gpuimg
