#include "envi_header.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {
namespace {

std::string_view trim(std::string_view text) {
  const auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && space(text.front())) { text.remove_prefix(1); }
  while (!text.empty() && space(text.back())) { text.remove_suffix(1); }
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) { c = static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
  return result;
}

bool same_name(std::string_view a, std::string_view b) { return lower(a) == lower(b); }

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) { return std::nullopt; }
  return value;
}

/// The entries of "{a, b, c}"; nothing when the text is no list.
std::vector<std::string> entries(std::string_view text) {
  std::vector<std::string> list;
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') { return list; }
  text = text.substr(1, text.size() - 2);
  while (true) {
    const std::size_t comma = text.find(',');
    list.emplace_back(trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) { return list; }
    text.remove_prefix(comma + 1);
  }
}

struct envi_type {
  lce::sample_type type;
  const char* code;
};
constexpr envi_type envi_types[] = {
    {lce::sample_type::u8, "1"}, {lce::sample_type::i16, "2"}, {lce::sample_type::u16, "12"}};

constexpr std::string_view order_names[] = {"bsq", "bil", "bip"};

}  // namespace

std::uint64_t cube_layout::bytes() const {
  return static_cast<std::uint64_t>(
      lce::make_header(width, height, bands, type, {}).empty() ? 0 : width * height * bands * sample_bytes());
}

envi_header::envi_header(std::string_view text) {
  const auto take_line = [&text] {
    const std::size_t end = text.find('\n');
    const auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
  };
  if (trim(take_line()) != "ENVI") { throw error(errc::corrupt, "ENVI header: the first line is not ENVI"); }
  for (int line = 2; !text.empty(); ++line) {
    const auto field = trim(take_line());
    if (field.empty() || field.front() == ';') { continue; }
    const std::size_t sign = field.find('=');
    if (sign == std::string_view::npos) {
      throw error(errc::corrupt, "ENVI header: line " + std::to_string(line) + " has no \"=\"");
    }
    std::string value(trim(field.substr(sign + 1)));
    if (value.starts_with('{')) {
      while (value.find('}') == std::string::npos) {
        if (text.empty()) {
          throw error(errc::corrupt, "ENVI header: the list in line " + std::to_string(line) + " has no end");
        }
        value += '\n';
        value += take_line();
        ++line;
      }
      value = trim(value);
    }
    fields_.emplace_back(trim(field.substr(0, sign)), std::move(value));
  }
}

const std::string* envi_header::find(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (same_name(key, name)) { return &value; }
  }
  return nullptr;
}

void envi_header::set(std::string_view name, std::string value) {
  for (auto& [key, old] : fields_) {
    if (same_name(key, name)) {
      old = std::move(value);
      return;
    }
  }
  fields_.emplace_back(name, std::move(value));
}

void envi_header::remove(std::string_view name) {
  std::erase_if(fields_, [name](const auto& field) { return same_name(field.first, name); });
}

cube_layout envi_header::layout() const {
  const auto whole = [this](const char* name, std::optional<std::int64_t> otherwise) {
    const std::string* value = find(name);
    if (value == nullptr && otherwise) { return *otherwise; }
    if (value == nullptr) { throw error(errc::corrupt, std::string("ENVI header: no field \"") + name + "\""); }
    const auto result = number(*value);
    if (!result || *result < 0) {
      throw error(errc::corrupt, std::string("ENVI header: \"") + name + "\" is " + *value + ", not a number");
    }
    return *result;
  };
  cube_layout layout;
  layout.width = whole("samples", std::nullopt);
  layout.height = whole("lines", std::nullopt);
  layout.bands = whole("bands", std::nullopt);
  layout.offset = static_cast<std::uint64_t>(whole("header offset", 0));
  const auto byte_order = whole("byte order", 0);
  if (byte_order > 1) {
    throw error(errc::corrupt, "ENVI header: byte order " + std::to_string(byte_order) + "; legal are 0 and 1");
  }
  layout.big_endian = byte_order == 1;
  const auto code = std::to_string(whole("data type", std::nullopt));
  const auto* type = std::find_if(std::begin(envi_types), std::end(envi_types),
                                  [&code](const envi_type& t) { return code == t.code; });
  if (type == std::end(envi_types)) {
    throw error(errc::unsupported, "ENVI header: data type " + code +
                                       "; 1 (unsigned 8 bits), 2 (signed 16 bits) and 12 (unsigned 16 bits) are coded");
  }
  layout.type = type->type;
  const std::string order = find("interleave") == nullptr ? "bsq" : lower(*find("interleave"));
  const auto* name = std::find(std::begin(order_names), std::end(order_names), order);
  if (name == std::end(order_names)) {
    throw error(errc::corrupt, "ENVI header: interleave is " + order + "; legal are bsq, bil and bip");
  }
  layout.order = static_cast<interleave>(name - std::begin(order_names));
  if (whole("file compression", 0) != 0) { throw error(errc::unsupported, "ENVI header: the file is compressed"); }
  return layout;
}

void envi_header::describe(const cube_layout& layout, std::int64_t x, std::int64_t y, std::int64_t first_band) {
  const auto bands = number(find("bands") == nullptr ? "" : *find("bands"));
  if (bands) {
    for (auto& [key, value] : fields_) {
      auto list = entries(value);
      if (list.size() != static_cast<std::size_t>(*bands) || (first_band == 0 && *bands == layout.bands)) { continue; }
      std::string kept(1, '{');
      for (std::int64_t b = first_band; b < first_band + layout.bands; ++b) {
        if (b != first_band) { kept.append(", "); }
        kept.append(list[static_cast<std::size_t>(b)]);
      }
      kept.push_back('}');
      value = std::move(kept);
    }
  }
  const auto shift = [this](const char* name, std::int64_t by) {
    if (by == 0) { return; }
    const auto old = number(find(name) == nullptr ? "1" : *find(name));
    if (old) { set(name, std::to_string(*old + by)); }
  };
  shift("x start", x);
  shift("y start", y);
  set("samples", std::to_string(layout.width));
  set("lines", std::to_string(layout.height));
  set("bands", std::to_string(layout.bands));
  set("header offset", std::to_string(layout.offset));
  set("file type", find("file type") == nullptr ? "ENVI Standard" : *find("file type"));
  for (const envi_type& t : envi_types) {
    if (t.type == layout.type) { set("data type", t.code); }
  }
  set("interleave", std::string(order_names[static_cast<std::size_t>(layout.order)]));
  set("byte order", layout.big_endian ? "1" : "0");
  if (x != 0 || y != 0) { remove("map info"); }  // its reference pixel is that of the whole cube
}

std::string envi_header::text() const {
  std::string text = "ENVI\n";
  for (const auto& [key, value] : fields_) { text += key + " = " + value + "\n"; }
  return text;
}

}  // namespace gpuimg::examples
