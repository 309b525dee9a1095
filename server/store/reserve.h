#pragma once

// Space that a data folder keeps for the time when the disk is full: a file
// `reserve`. When it is given up, a database can be opened, and jobs can be
// deleted, which makes room.

#include <string>

namespace bvhmill::server {

// Makes the file in `folder` if it is missing and the disk has room for it. A
// file system may not be able to keep space: then there is none.
void KeepReserve(const std::string& folder);
// Removes the file. False if there was none.
bool GiveUpReserve(const std::string& folder);
// Removes the file if the disk has less free space than it.
void MakeRoom(const std::string& folder);

}  // namespace bvhmill::server
