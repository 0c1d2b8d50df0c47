// What the simulated disk may show after a power cut: calls from standard input, one a line, then each different outcome on a line of its own.
//   create PATH | write PATH POSITION TEXT | sync PATH | truncate PATH SIZE | mkdir PATH | rename FROM TO | remove PATH | syncdir PATH
#include <iostream>
#include <set>
#include <sstream>
#include <vector>

#include "tests/support/simulated_file_system.hpp"

namespace {

using pystream::tests::simulated_file_system;
namespace io = pystream::io;

bool apply(simulated_file_system& files, const std::string& line)
{
    std::istringstream words(line);
    std::string what;
    std::string path;
    std::string text;
    std::uint64_t number = 0;
    words >> what >> path;
    if (what == "mkdir") return files.create_directory(path).has_value();
    if (what == "remove") return files.remove(path).has_value();
    if (what == "syncdir") return files.sync_directory(path).has_value();
    if (what == "rename") return words >> text && files.rename(path, text);
    if (what == "create") return files.open(path, io::open_mode::create).has_value();
    const auto file = files.open(path, io::open_mode::read_write);
    if (!file) return false;
    if (what == "sync") return (*file)->sync_all().has_value();
    if (what == "truncate") return words >> number && (*file)->truncate(number);
    return what == "write" && words >> number >> text && (*file)->write_at(number, text);
}

// "path=content" of every file, "path/" of every directory. Bytes that never came are zeros and shown as dots.
void show(simulated_file_system& files, const std::string& directory, std::string& out)
{
    for (const auto& entry : *files.list(directory)) {
        const std::string path = directory + "/" + entry.name;
        if (entry.kind == io::entry_kind::directory) {
            out += path + "/ ";
            show(files, path, out);
        } else {
            std::string content = *files.content(path);
            for (char& each : content)
                if (each == '\0') each = '.';
            out += path + "=" + content + " ";
        }
    }
}

}  // namespace

int main()
{
    std::vector<std::string> lines;
    for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
    std::set<std::string> outcomes;
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        simulated_file_system files(seed);
        for (const std::string& line : lines)
            if (!apply(files, line)) {
                std::cerr << "cannot do: " << line << "\n";
                return 1;
            }
        files.crash(pystream::tests::crash_keeps::any_part);
        std::string shown;
        show(files, "", shown);
        outcomes.insert(shown);
    }
    for (const auto& each : outcomes) std::cout << each << "\n";
    return 0;
}
