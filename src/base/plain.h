// Plain: types whose bytes may be written, sent or hashed as they are.
//
// Laws: numbers and enums are plain. A type made of them, without padding, pointers or anything
// private, says so itself:
//   template <>
//   inline constexpr bool sotto::base::codec_plain<sotto::data::MyType> = true;
// Private<T> is never plain, whatever anyone declares.
#pragma once

#include <type_traits>

#include "base/layers.h"

namespace sotto::base {

template <class T>
class Private;

template <class T>
concept Number = std::is_arithmetic_v<T>;

template <class T>
inline constexpr bool codec_plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <class T>
inline constexpr bool is_private = false;
template <class T>
inline constexpr bool is_private<Private<T>> = true;

template <class T>
concept Plain = codec_plain<T> && !is_private<T> && std::is_trivially_copyable_v<T>;

}  // namespace sotto::base
