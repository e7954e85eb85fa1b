// The version and the error type.
#include <doctest/doctest.h>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/version.hpp"

using namespace gpuimg;

TEST_SUITE("core") {
  TEST_CASE("the version of the headers is that of the macros") {
    static_assert(header_version().major == GPUIMG_VERSION_MAJOR);
    static_assert(header_version().minor == GPUIMG_VERSION_MINOR);
    static_assert(header_version().patch == GPUIMG_VERSION_PATCH);
  }

  TEST_CASE("the changelog has an entry for the version of the headers") {
    std::ifstream changelog(std::string(GPUIMG_SOURCE_DIR) + "/CHANGELOG.md");
    REQUIRE(changelog);
    const auto v = header_version();
    const std::string entry =
        "## [" + std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch) + "]";
    bool found = false;
    for (std::string line; std::getline(changelog, line);) { found = found || line.starts_with(entry); }
    CHECK_MESSAGE(found, entry);
  }

  TEST_CASE("every error code has a name of its own") {
    std::set<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(errc::divergence); ++i) {
      const auto text = name(static_cast<errc>(i));
      CHECK(text != "unknown");
      CHECK_MESSAGE(names.insert(text).second, text);
    }
    CHECK(name(static_cast<errc>(255)) == "unknown");
  }

  TEST_CASE("an error carries its code and message") {
    const error plain(errc::invalid_argument, "width: 0 is below 1");
    CHECK(plain.code() == errc::invalid_argument);
    CHECK(std::string(plain.what()) == "width: 0 is below 1");
    CHECK_FALSE(plain.offset().has_value());
  }

  TEST_CASE("an error in a stream names the byte, beyond 32 bits too") {
    const std::uint64_t offset = (std::uint64_t{1} << 40) + 3;
    const error in_stream(errc::corrupt, "magic: 0 is not 7", offset);
    CHECK(in_stream.offset() == offset);
    CHECK(std::string(in_stream.what()) == "magic: 0 is not 7 (at byte 1099511627779)");
    CHECK_THROWS_AS(throw in_stream, std::runtime_error);
  }

  TEST_CASE("host execution uses the threads it is given, or one a core") {
    CHECK(host{3}.thread_count() == 3);
    CHECK(host{}.thread_count() >= 1);
  }

  TEST_CASE("cuda execution defaults to the default stream and the device's own pool") {
    const cuda execution;
    CHECK(execution.stream == nullptr);
    CHECK(execution.device == 0);
    CHECK(execution.memory == nullptr);
  }
}
