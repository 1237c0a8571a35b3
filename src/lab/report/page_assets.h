// The style and the script that every page carries (page.h). Plain text, the same for all pages, so that
// their hashes in the content security policy are the same too.
#pragma once

#include <string>
#include <string_view>

#include "base/layers.h"

namespace sotto::lab {

[[nodiscard]] std::string page_css();

// Hover values, legends that hide series, tables that sort, the choice of light or dark. When it has run to
// its end, <html> has the attribute data-ready.
extern const std::string_view page_script;

}  // namespace sotto::lab
