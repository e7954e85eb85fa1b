#include "picture_format.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <utility>

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {

namespace {

using namespace std::string_view_literals;

constexpr std::array known_extensions{std::pair{"png"sv, file_kind::png},  std::pair{"pbm"sv, file_kind::pbm},
                                      std::pair{"pgm"sv, file_kind::pgm},  std::pair{"ppm"sv, file_kind::ppm},
                                      std::pair{"pnm"sv, file_kind::pnm},  std::pair{"pam"sv, file_kind::pam},
                                      std::pair{"tif"sv, file_kind::tiff}, std::pair{"tiff"sv, file_kind::tiff}};

struct capacity {
  int fewest_components;
  int most_components;
  int depth;
  bool is_signed;
  std::int64_t side;  // largest width and height
};

constexpr capacity capacity_of(file_kind kind) noexcept {
  constexpr std::int64_t png_side = std::numeric_limits<std::int32_t>::max();
  constexpr std::int64_t tiff_side = std::numeric_limits<std::uint32_t>::max();
  constexpr std::int64_t netpbm_side = std::int64_t{1} << 40;  // netpbm states none
  switch (kind) {
    case file_kind::png: return {1, 4, 16, false, png_side};
    case file_kind::pbm: return {1, 1, 1, false, netpbm_side};
    case file_kind::pgm: return {1, 1, 16, false, netpbm_side};
    case file_kind::ppm: return {3, 3, 16, false, netpbm_side};
    case file_kind::pnm: return {1, 3, 16, false, netpbm_side};
    case file_kind::pam: return {1, 65535, 16, false, netpbm_side};
    case file_kind::tiff: return {1, 65535, 32, true, tiff_side};
  }
  return {};
}

}  // namespace

std::string_view name(file_kind kind) noexcept {
  for (const auto& [extension, known] : known_extensions) {
    if (known == kind) return extension;
  }
  return "unknown";
}

std::optional<file_kind> kind_from_name(std::string_view extension) {
  std::string lower(extension);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [known, kind] : known_extensions) {
    if (known == lower) return kind;
  }
  return std::nullopt;
}

file_kind kind_from_path(const std::string& path) {
  const auto slash = path.find_last_of('/');
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  const auto dot = file.find_last_of('.');
  const std::string extension = dot == std::string::npos ? std::string{} : file.substr(dot + 1);
  if (const auto kind = kind_from_name(extension)) return *kind;
  std::string list;
  for (const auto& [known, kind] : known_extensions) list.append(" .").append(known);
  throw error(errc::invalid_argument, path + ": " +
                                          (extension.empty() ? "no extension" : "unknown extension ." + extension) +
                                          " to tell the kind of picture by; known are" + list);
}

std::string reason_against(file_kind kind, const picture_format& format) {
  const capacity most = capacity_of(kind);
  const std::string who = std::string(name(kind)) + " holds ";
  if (format.components < most.fewest_components || format.components > most.most_components ||
      (kind == file_kind::pnm && format.components == 2)) {
    const std::string range =
        kind == file_kind::pnm ? "1 or 3"
        : most.fewest_components == most.most_components
            ? std::to_string(most.most_components)
            : std::to_string(most.fewest_components) + ".." + std::to_string(most.most_components);
    return who + range + " components, not " + std::to_string(format.components);
  }
  if (format.is_signed && !most.is_signed) return who + "unsigned samples only";
  if (format.depth > most.depth) {
    return who + "up to " + std::to_string(most.depth) + " bits a sample, not " + std::to_string(format.depth);
  }
  const std::int64_t side = std::max(format.width, format.height);
  if (side > most.side)
    return who + "at most " + std::to_string(most.side) + " rows and columns, not " + std::to_string(side);
  return {};
}

}  // namespace gpuimg::examples
