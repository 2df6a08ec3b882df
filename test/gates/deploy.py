#!/usr/bin/env python3
"""deploy.py AGON: checks the files of packaging/deploy against the schemas of Kubernetes and Compose, and that agon knows every option in them.

Schemas come with packages of the Python index (requirements-deploy.txt); nothing else is fetched. The image's version must be the program's.
"""
import json
import os
import re
import subprocess
import sys
import zipfile

import jsonschema
import kubernetes_validate
import yaml

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DEPLOY = os.path.join(ROOT, "packaging", "deploy")
KUBERNETES = "1.30"


def settings_of(agon, command):
    """The names of all options of a command."""
    said = subprocess.run([agon, command, "--help-all"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"--([a-z][a-z-]+)", said))


def check_options(agon, args, variables, where):
    command = args[0] if args else "serve"
    known = settings_of(agon, command)
    named = [re.match(r"--([a-z-]+)", a).group(1) for a in args if a.startswith("--")]
    named += [v[len("AGON_"):].lower().replace("_", "-") for v in variables if v.startswith("AGON_")]
    unknown = sorted(set(named) - known)
    assert not unknown, f"{where}: agon {command} has no {', '.join(unknown)}"
    assert "bus" in named or "node" not in named, f"{where}: a node without --bus: its agents meet nobody at other nodes"
    return len(named)


def check_image(image, agon, where):
    version = subprocess.run([agon, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    assert image == f"agon:{version}", f"{where}: {image}, but this is {version}"


def check_kubernetes(agon):
    documents = list(yaml.safe_load_all(open(os.path.join(DEPLOY, "kubernetes.yaml"))))
    options = 0
    for d in documents:
        kubernetes_validate.validate(d, KUBERNETES, strict=True)
        pod = d.get("spec", {}).get("template", {}).get("spec", {})
        for c in pod.get("containers", []):
            if c["image"].startswith("nats:"):
                continue
            check_image(c["image"], agon, d["metadata"]["name"])
            options += check_options(agon, c["args"], [e["name"] for e in c.get("env", [])], d["metadata"]["name"])
    wrong = json.loads(json.dumps(documents[1]))
    wrong["spec"]["template"]["spec"]["containers"][0]["readinesProbe"] = {}
    try:
        kubernetes_validate.validate(wrong, KUBERNETES, strict=True)
    except kubernetes_validate.ValidationError:
        return print(f"deploy: {len(documents)} Kubernetes objects, {options} settings")
    raise AssertionError("the schema accepts a misspelt field: it checks nothing")


def check_compose(agon, wheel):
    schema = json.load(zipfile.ZipFile(wheel).open("compose/config/compose_spec.json"))
    text = open(os.path.join(DEPLOY, "compose.yaml")).read()
    compose = yaml.safe_load(text)
    jsonschema.validate(compose, schema)
    ours = {name: s for name, s in compose["services"].items() if s["image"].startswith("agon:")}
    for name, s in ours.items():
        check_image(s["image"], agon, name)
        check_options(agon, s.get("command", []), s.get("environment", {}), name)
    print(f"deploy: {len(compose['services'])} services of Compose, {len(ours)} of them agon")


agon, wheel = sys.argv[1:]
check_kubernetes(agon)
check_compose(agon, wheel)
