"""The order as pydantic models: with types only, and with rules.

Must not be less strict than the arena requires: an unknown member is rejected.
"""

from enum import Enum
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


class Taken(BaseModel):
    """The response."""
    name: str
    lines: int
    cents: int


def taken(order):
    """Returns the number of lines and the total of an order of either kind."""
    return Taken(name=order.name, lines=len(order.lines),
                 cents=sum(line.count * line.cents for line in order.lines))


class Strict(BaseModel):
    """Rejects unknown members."""
    model_config = ConfigDict(extra="forbid")


class PlainLine(Strict):
    """A line with types only."""
    sku: str
    count: int
    cents: int


class PlainOrder(Strict):
    """An order with types only."""
    id: str
    name: str
    mail: str
    street: str
    postcode: str
    city: str
    country: str
    paid_with: str
    tags: list[str]
    note: str | None = None
    is_gift: bool
    lines: list[PlainLine]


class Country(str, Enum):
    """Countries of delivery."""
    DE = "DE"
    AT = "AT"
    CH = "CH"


class Paid(str, Enum):
    """Methods of payment."""
    CARD = "card"
    INVOICE = "invoice"


def unique(values: list[str]) -> list[str]:
    """Rejects duplicate values."""
    if len(set(values)) != len(values):
        raise ValueError("must not contain duplicates")
    return values


# The rule of browsers (HTML, "valid email address"). EmailStr checks more, in Python, and would
# take as long as the rest of the response.
_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
Mail = Annotated[str, Field(
    max_length=254,
    pattern=rf"^[a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{_LABEL}(?:\.{_LABEL})+$")]
Name = Annotated[str, Field(min_length=1, max_length=80)]


class CheckedLine(Strict):
    """A line with rules."""
    sku: Annotated[str, Field(min_length=1, max_length=32, pattern=r"^[a-z0-9-]+$")]
    count: Annotated[int, Field(ge=1, le=1000)]
    cents: Annotated[int, Field(ge=0, le=10_000_000)]


class CheckedOrder(Strict):
    """An order with rules."""
    id: UUID
    name: Name
    mail: Mail
    street: Annotated[str, Field(min_length=1, max_length=120)]
    postcode: Annotated[str, Field(pattern=r"^[0-9]{5}$")]
    city: Name
    country: Country
    paid_with: Paid
    tags: Annotated[list[str], Field(max_length=8), AfterValidator(unique)]
    note: Annotated[str, Field(max_length=500)] | None = None
    is_gift: bool
    lines: Annotated[list[CheckedLine], Field(min_length=1, max_length=50)]
