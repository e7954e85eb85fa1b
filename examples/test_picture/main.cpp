// gpuimg-test-picture: writes a picture made by code, for trying and measuring codecs without any file at hand.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "support/picture_io.hpp"
#include "support/synthetic_picture.hpp"

#include "gpuimg/core/error.hpp"

namespace {

using namespace gpuimg::examples;

/// "WxH" into the format.
/// @throws CLI::ValidationError
void parse_size(const std::string& text, picture_format& format) {
  int used = 0;
  long long width = 0;
  long long height = 0;
  const int found = std::sscanf(text.c_str(), "%9lldx%9lld%n", &width, &height, &used);
  if (found != 2 || static_cast<std::size_t>(used) != text.size() || width < 1 || height < 1) {
    throw CLI::ValidationError("--size", text + " is not a size such as 3840x2160");
  }
  format.width = width;
  format.height = height;
}

void write_picture(const picture_format& format, std::uint32_t seed, const std::string& path,
                   std::optional<file_kind> kind) {
  const auto writer = picture_writer::open(path, format, kind);
  synthetic_picture picture(format, seed);
  std::vector<std::byte> row(static_cast<std::size_t>(format.bytes_per_row()));
  for (std::int64_t y = 0; y < format.height; ++y) {
    picture.make_row(y, row);
    writer->write_rows(1, row);
  }
  writer->finish();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Writes a picture made by code: photograph-like, the same on every machine, of any size in flat memory."};
  std::string size = "3840x2160";
  picture_format format;
  format.components = 3;
  std::uint32_t seed = 1;
  std::string kind_name;
  std::string path;
  app.add_option("--size", size, "width x height in pixels")->capture_default_str();
  app.add_option("--components", format.components, "1 grey, 2 grey+alpha, 3 RGB, 4 RGB+alpha")
      ->check(CLI::Range(1, 4))
      ->capture_default_str();
  app.add_option("--depth", format.depth, "bits of a sample")->check(CLI::Range(1, 32))->capture_default_str();
  app.add_option("--seed", seed, "another number, another picture")->capture_default_str();
  app.add_option("--format", kind_name, "png, pgm, ppm, pnm, pam or tiff; by the extension when left out");
  app.add_option("output", path, "file to write: .png .pbm .pgm .ppm .pnm .pam .tif .tiff, or - for standard output")
      ->required();
  try {
    app.parse(argc, argv);
    parse_size(size, format);
    format.has_alpha = format.components % 2 == 0;
    std::optional<file_kind> kind;
    if (!kind_name.empty()) {
      kind = kind_from_name(kind_name);
      if (!kind) throw CLI::ValidationError("--format", kind_name + " is not a known kind of file");
    }
    write_picture(format, seed, path, kind);
  } catch (const CLI::Error& problem) { return app.exit(problem); } catch (const std::exception& problem) {
    std::fprintf(stderr, "gpuimg-test-picture: %s\n", problem.what());
    return 1;
  }
  return 0;
}
