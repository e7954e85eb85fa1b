// Blocks cut at the end of a pass, on the host and in the emulator.
#include "tests/codec/truncation.hpp"

#include <doctest/doctest.h>

#include "tests/codec/backends.hpp"

TEST_CASE("the words up to the end of a pass decode everything up to it") {
  codec_tests::check_truncation(codec_tests::emulator_backend({.shared_fill = 0x5A, .descending = true}));
}
