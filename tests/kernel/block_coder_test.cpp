/// @file
/// The warp's block coder in the emulator, bit for bit against the host's. The kernels are in tests/codec.
#include "tests/codec/block_coder.hpp"

#include <doctest/doctest.h>

#include "tests/codec/backends.hpp"

using namespace codec_tests;

TEST_CASE_TEMPLATE("warp block coder: words, counts and coefficients are the host's", Shape, block_shape<16, 16>,
                   block_shape<32, 32>, block_shape<64, 64>, block_shape<128, 128>, block_shape<128, 16>) {
  const auto blocks = make_blocks<Shape>(5 + Shape::width * Shape::height, 1);
  in_all_ways([&](const auto& backend) { check_blocks<block_coding<Shape, 24>>(backend, blocks); });
}

TEST_CASE_TEMPLATE("warp block coder: features chosen at compile time", Features,
                   codec::static_coder_features<true, true, false>, codec::static_coder_features<false, false, true>) {
  using shape = block_shape<64, 64>;
  const auto blocks = within_planes(with_features(make_blocks<shape>(6, 1), Features{}), 16);
  in_all_ways([&](const auto& backend) { check_blocks<block_coding<shape, 16, Features>>(backend, blocks); });
}

TEST_CASE("warp block coder: the check vectors of an independent model") {
  in_all_ways([](const auto& backend) { check_vectors(backend); });
}

TEST_CASE_TEMPLATE("warp block coder: words beyond the capacity are counted, not written", Shape, block_shape<16, 16>,
                   block_shape<64, 64>) {
  const auto blocks = make_blocks<Shape>(7, 1);
  in_all_ways([&](const auto& backend) { check_capacity<block_coding<Shape, 24>>(backend, blocks, 8); });
}

TEST_CASE_TEMPLATE("warp block coder: damaged words end as they do on the host", Shape, block_shape<16, 16>,
                   block_shape<64, 64>) {
  const auto blocks = small_blocks(make_blocks<Shape>(9, 3), 110);
  const auto damaged = damage<block_coding<Shape, 24>>(blocks, 16, 10);
  MESSAGE(damaged.size() << " damaged blocks");
  check_damage<block_coding<Shape, 24>>(emulator_backend({.shared_fill = 0x00}), damaged);
  check_damage<block_coding<Shape, 24>>(emulator_backend({.shared_fill = 0xFF, .descending = true}), damaged);
}
