# What tests of applications and of the library use.
eider_wing(testkit DEPENDS auth)
eider_component(testing FOLDERS .
                HEADERS testing test_factory)
