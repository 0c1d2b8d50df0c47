"""The fixtures of the integration tests: `server` and `start_server`."""
import importlib.util
import pathlib

_path = pathlib.Path(__file__).resolve().parents[1] / "integration" / "conftest.py"
_spec = importlib.util.spec_from_file_location("integration_conftest", _path)
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
server, start_server = _module.server, _module.start_server
