"""Reads OTLP data of a program with the messages that OpenTelemetry publishes.

One request per line: {"path": …, "text": …}; one response per line: the message, or its error.
"""

import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

MESSAGES = {'/v1/traces': trace_service_pb2.ExportTraceServiceRequest,
            '/v1/logs': logs_service_pb2.ExportLogsServiceRequest,
            '/v1/metrics': metrics_service_pb2.ExportMetricsServiceRequest}


def identifiers_to_base64(value):
    """OTLP writes some bytes in hexadecimal digits, where the JSON of protobuf has base64."""
    if isinstance(value, list):
        return [identifiers_to_base64(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: json_format.base64.b64encode(bytes.fromhex(one)).decode()
            if name in ('traceId', 'spanId', 'parentSpanId') else identifiers_to_base64(one)
            for name, one in value.items()}


for line in sys.stdin:
    asked = json.loads(line)
    try:
        message = json_format.ParseDict(identifiers_to_base64(json.loads(asked['text'])),
                                        MESSAGES[asked['path']]())
        answer = {'bytes': len(message.SerializeToString()),
                  'read': json_format.MessageToDict(message)}
    except (ValueError, json_format.ParseError) as error:
        answer = {'error': str(error)}
    print(json.dumps(answer), flush=True)
