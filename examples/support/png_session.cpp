#include "png_session.hpp"

#include <cstdio>

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples::detail {

png_session::png_session(direction way) : direction_(way) {
  png_ = way == direction::read ? png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning)
                                : png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
  if (png_ != nullptr) info_ = png_create_info_struct(png_);
  if (info_ != nullptr) return;
  png_destroy_read_struct(&png_, nullptr, nullptr);
  throw error(errc::out_of_memory, "libpng cannot be started: " + message());
}

png_session::~png_session() {
  if (direction_ == direction::read) {
    png_destroy_read_struct(&png_, &info_, nullptr);
  } else {
    png_destroy_write_struct(&png_, &info_);
  }
}

void png_session::on_error(png_structp png, png_const_charp text) {
  auto* session = static_cast<png_session*>(png_get_error_ptr(png));
  std::snprintf(session->text_.data(), session->text_.size(), "%s", text);
  png_longjmp(png, 1);
}

void png_session::on_warning(png_structp /*png*/, png_const_charp /*text*/) {}

}  // namespace gpuimg::examples::detail
