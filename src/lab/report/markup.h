// Text for HTML and SVG. Names come from files, so whatever is not ours passes through escaped().
//
// Laws: the same value gives the same bytes on every machine; what comes out of escaped() is valid UTF-8
// without a letter that could end an attribute or begin an element.
#pragma once

#include <string>
#include <string_view>

#include "base/layers.h"

namespace sotto::lab {

// For text and for attributes in double quotes. Bytes that are no UTF-8, and control characters, become
// U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);

// A place in a drawing: at most two decimals, no trailing zeros, never "-0".
[[nodiscard]] std::string coordinate(double value);

// A value for a person: four significant digits, thousands grouped ("0.01234", "12,346", "1.2e-07").
[[nodiscard]] std::string short_number(double value);

// A name for a file or an element: small letters, digits and single hyphens; "x" where nothing is left.
[[nodiscard]] std::string slug(std::string_view text);

// How wide a text of this size will be, roughly: fonts differ, so layouts leave room.
[[nodiscard]] double text_width(std::string_view text, double size);

}  // namespace sotto::lab
