"""All experiments in the order of the report.

Must not select experiments: the plan does.
"""

from experiments import (agreement, changes, client, database, files, floor, form, http2, nginx,
                         orders, others, profiles, proxy, realtime, scalability, slow_work, tail,
                         techempower, tls)

_MAKERS = (scalability.experiment, slow_work.experiment, tail.experiment, techempower.experiment,
           database.techempower, database.httparena, profiles.experiment,
           nginx.experiment, floor.experiment, floor.churn, others.bodies, others.idle,
           others.held, others.workers, others.open_loop, orders.experiment, form.experiment,
           files.files, files.streaming, changes.experiment, realtime.websocket, realtime.events,
           http2.experiment, tls.experiment, proxy.experiment, client.experiment,
           agreement.experiment)


def all_experiments(machine):
    """Returns every Experiment, scaled to the Machine."""
    return [make(machine) for make in _MAKERS]
