# SPDX-License-Identifier: Apache-2.0
"""What numba-cuda's tests want of the settings for pytest in its repository, which its package does not hold."""
import pytest


@pytest.fixture(scope='class')
def initialize_from_pytest_config(request):
    request.cls._dump_failed_filechecks = False
