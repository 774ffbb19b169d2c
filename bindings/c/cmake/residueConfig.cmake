# find_package(residue): defines the imported targets residue::residue (shared) and
# residue::residue_static. All paths are relative to this file, so that the installation can be
# moved.

get_filename_component(_residue_libraries "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_filename_component(_residue_include "@INCLUDE@" ABSOLUTE)
set(_residue_shared "${_residue_libraries}/libresidue.so.@VERSION@")
set(_residue_static "${_residue_libraries}/libresidue.a")

foreach(_residue_file "${_residue_include}/residue.h" "${_residue_shared}" "${_residue_static}")
  if(NOT EXISTS "${_residue_file}")
    set(residue_FOUND FALSE)
    set(residue_NOT_FOUND_MESSAGE "${_residue_file} is missing: install residue again")
    return()
  endif()
endforeach()

if(NOT TARGET residue::residue)
  add_library(residue::residue SHARED IMPORTED)
  set_target_properties(residue::residue PROPERTIES
    IMPORTED_LOCATION "${_residue_shared}"
    IMPORTED_SONAME "@SONAME@"
    INTERFACE_INCLUDE_DIRECTORIES "${_residue_include}")
endif()

if(NOT TARGET residue::residue_static)
  add_library(residue::residue_static STATIC IMPORTED)
  set_target_properties(residue::residue_static PROPERTIES
    IMPORTED_LOCATION "${_residue_static}"
    IMPORTED_LINK_INTERFACE_LANGUAGES C
    INTERFACE_INCLUDE_DIRECTORIES "${_residue_include}"
    INTERFACE_LINK_LIBRARIES "pthread;dl;m")
endif()
