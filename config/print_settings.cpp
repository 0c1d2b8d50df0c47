#include <iostream>
#include <string_view>

#include "config/settings_table.hpp"

// Prints what the table generates: scripts/generate.sh puts it into docs/configuration.md and config/pystream.env.example,
// and a unit test holds them equal.
int main(int argc, char** argv)
{
    const std::string_view what = argc == 2 ? argv[1] : "";
    if (what == "markdown")
        std::cout << pystream::config::markdown_table();
    else if (what == "env")
        std::cout << pystream::config::env_example();
    else
        return std::cerr << "usage: pystream_print_settings markdown|env\n", 2;
    return 0;
}
