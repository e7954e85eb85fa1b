/// @file
/// The warp's block coder on a device, bit for bit against the host's.
#include <doctest/doctest.h>

#include "tests/codec/backends.hpp"
#include "tests/codec/block_coder.hpp"

using namespace codec_tests;

TEST_CASE_TEMPLATE("device: words, counts and coefficients of blocks are the host's", Shape, block_shape<16, 16>,
                   block_shape<64, 64>, block_shape<128, 128>) {
  const device_backend backend;
  check_blocks<block_coding<Shape, 24>>(backend, make_blocks<Shape>(11 + Shape::width, 3));
}

TEST_CASE("device: blocks with features chosen at compile time") {
  using shape = block_shape<64, 64>;
  using features = codec::static_coder_features<true, true, false>;
  const auto blocks = within_planes(with_features(make_blocks<shape>(12, 3), features{}), 16);
  check_blocks<block_coding<shape, 16, features>>(device_backend(), blocks);
}

TEST_CASE("device: the block coder's check vectors of an independent model") { check_vectors(device_backend()); }

TEST_CASE_TEMPLATE("device: words beyond the capacity of a block are counted, not written", Shape, block_shape<16, 16>,
                   block_shape<64, 64>) {
  check_capacity<block_coding<Shape, 24>>(device_backend(), make_blocks<Shape>(13, 2), 14);
}

TEST_CASE_TEMPLATE("device: damaged words of a block end as they do on the host", Shape, block_shape<16, 16>,
                   block_shape<64, 64>) {
  const auto blocks = small_blocks(make_blocks<Shape>(15, 3), 110);
  check_damage<block_coding<Shape, 24>>(device_backend(), damage<block_coding<Shape, 24>>(blocks, 16, 16));
}
