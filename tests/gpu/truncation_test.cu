// Blocks cut at the end of a pass, on a device.
#include <doctest/doctest.h>

#include "tests/codec/backends.hpp"
#include "tests/codec/truncation.hpp"

TEST_CASE("the words up to the end of a pass decode everything up to it on a device") {
  codec_tests::check_truncation(codec_tests::device_backend{});
}
