# Accepts requests for this version, or an earlier one with a compatible binary interface: of the
# same major version and, while that is 0, of the same minor version.

set(PACKAGE_VERSION "@VERSION@")
string(REGEX MATCH "^(0\\.[0-9]+|[1-9][0-9]*)" _residue_series "${PACKAGE_VERSION}")

if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
elseif("${PACKAGE_FIND_VERSION}." MATCHES "^${_residue_series}\\." OR PACKAGE_FIND_VERSION STREQUAL "0"
       OR NOT PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
else()
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()

if(CMAKE_SIZEOF_VOID_P AND NOT CMAKE_SIZEOF_VOID_P EQUAL @POINTER@)
  set(PACKAGE_VERSION "${PACKAGE_VERSION} (for pointers of @POINTER@ bytes)")
  set(PACKAGE_VERSION_UNSUITABLE TRUE)
endif()
